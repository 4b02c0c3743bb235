package snapshot

import "fmt"

// Rotate adds a key to the directory. Hosts that load their keys after it sign with
// it; the older keys go on verifying for as long as their files are kept.
func Rotate(dir string) error {
	names, err := keyFiles(dir)
	if err != nil {
		return err
	}
	next := 1
	if len(names) > 0 {
		_, _ = fmt.Sscanf(names[len(names)-1], keyFile, &next) // keyFiles matched the name
		next++
	}
	return createKey(dir, fmt.Sprintf(keyFile, next))
}
