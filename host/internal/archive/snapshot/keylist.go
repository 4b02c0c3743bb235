package snapshot

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// A KeyState describes one key.
type KeyState struct {
	ID      string    `json:"id"`                // 8 hexadecimal digits; the embedded ids of the key contain them
	File    string    `json:"file,omitempty"`    // "" if the key is configured
	From    time.Time `json:"from,omitzero"`     // start of signing; zero: immediately
	Signs   bool      `json:"signs,omitempty"`   // whether the key signs now
	Derives bool      `json:"derives,omitempty"` // whether the key derives short ids
}

// States returns the state of each key at a time: configured keys first, and each group oldest
// first.
func (k *Keys) States(now time.Time) []KeyState {
	list := slices.Clone(k.states)
	signs := hex.EncodeToString(k.signing(now).id[:])
	for i := range list {
		list[i].Signs = list[i].ID == signs
	}
	return list
}

// Rotate adds a key to the directory that signs from a time on, and returns its file. All servers
// that load their keys before that time change keys at the same time. Older keys verify as long as
// their files exist. The first key of a directory has no time: it signs immediately.
func Rotate(dir string, from time.Time) (string, error) {
	former, err := loadSeeds(dir, false)
	if err != nil {
		return "", err
	}
	next, text := 1, NewSeed()
	if len(former) > 0 {
		last := former[len(former)-1]
		if !from.After(last.from) {
			return "", fmt.Errorf("the previous key, %s, does not sign before %s: choose a later time for the new key, or remove that file before its time",
				last.file, last.from.UTC().Format(time.RFC3339))
		}
		_, _ = fmt.Sscanf(filepath.Base(last.file), keyFile, &next) // keyFiles matched the name
		next, text = next+1, TimedSeed(text, from)
	}
	name := fmt.Sprintf(keyFile, next)
	return filepath.Join(dir, name), createKey(dir, name, text)
}

// TimedSeed returns the seed with a start time, in the form of the configuration.
func TimedSeed(seed string, from time.Time) string {
	return seed + "@" + from.UTC().Format(time.RFC3339)
}
