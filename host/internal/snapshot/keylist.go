package snapshot

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// A KeyState says what one key does.
type KeyState struct {
	ID      string    `json:"id"`                // 8 hexadecimal digits, which every embedded id of the key begins with
	File    string    `json:"file,omitempty"`    // "" if the key is configured
	From    time.Time `json:"from,omitzero"`     // when it begins to sign; zero: at once
	Signs   bool      `json:"signs,omitempty"`   // now
	Derives bool      `json:"derives,omitempty"` // short ids
}

// States says what each key does at a time: configured keys first, each group oldest first.
func (k *Keys) States(now time.Time) []KeyState {
	list := slices.Clone(k.states)
	signs := hex.EncodeToString(k.signing(now).id[:])
	for i := range list {
		list[i].Signs = list[i].ID == signs
	}
	return list
}

// Rotate adds a key to the directory, and returns its file. Hosts that load their keys after
// it sign with it; the older keys go on verifying for as long as their files are kept.
func Rotate(dir string) (string, error) {
	names, err := keyFiles(dir)
	if err != nil {
		return "", err
	}
	next := 1
	if len(names) > 0 {
		_, _ = fmt.Sscanf(names[len(names)-1], keyFile, &next) // keyFiles matched the name
		next++
	}
	name := fmt.Sprintf(keyFile, next)
	return filepath.Join(dir, name), createKey(dir, name)
}
