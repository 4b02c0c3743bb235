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

// Rotate adds a key to the directory that signs from a time on, and returns its file. Hosts that
// load their keys before that time change at the same moment; the older keys go on verifying for
// as long as their files are kept. The first key of a directory has no time: it signs at once.
func Rotate(dir string, from time.Time) (string, error) {
	former, err := loadSeeds(dir, false)
	if err != nil {
		return "", err
	}
	next, text := 1, NewSeed()
	if len(former) > 0 {
		last := former[len(former)-1]
		if !from.After(last.from) {
			return "", fmt.Errorf("the key before it, %s, signs from %s on only: let the new one begin later, or remove that file before its time",
				last.file, last.from.UTC().Format(time.RFC3339))
		}
		_, _ = fmt.Sscanf(filepath.Base(last.file), keyFile, &next) // keyFiles matched the name
		next, text = next+1, TimedSeed(text, from)
	}
	name := fmt.Sprintf(keyFile, next)
	return filepath.Join(dir, name), createKey(dir, name, text)
}

// TimedSeed returns the seed with a time behind it, in the form of the configuration.
func TimedSeed(seed string, from time.Time) string {
	return seed + "@" + from.UTC().Format(time.RFC3339)
}
