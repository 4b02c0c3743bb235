package snapshot

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
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

// ListKeys says what each of the keys does that LoadKeys loads: configured ones first, each
// group oldest first. It creates no key.
func ListKeys(dir string, now time.Time, configured ...string) ([]KeyState, error) {
	keys, err := FindKeys(dir, configured...)
	if err != nil || keys == nil {
		return nil, err
	}
	seeds, err := parseSeeds(configured)
	if err != nil {
		return nil, err
	}
	kept, err := loadSeeds(dir, false)
	if err != nil {
		return nil, err
	}
	signs := keys.signing(now).id
	var list []KeyState
	for i, s := range append(seeds, kept...) {
		id := publicID(publicOf(s.secret))
		list = append(list, KeyState{ID: hex.EncodeToString(id[:]), File: s.file, From: s.from, Signs: id == signs, Derives: i == 0})
	}
	return list, nil
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
