package regular_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/registry/regular"
)

// Read reads regular files only, and at most limit bytes.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "regular")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "trust.json")
	if err := os.WriteFile(file, []byte(`{"keys": []}`), 0o600); err != nil {
		log.Fatal(err)
	}
	text, err := regular.Read(file, 1<<10)
	fmt.Println(string(text), err)
	_, err = regular.Read(file, 4)
	fmt.Println(err != nil)
	_, err = regular.Read(dir, 1<<10)
	fmt.Println(err != nil)
	// Output:
	// {"keys": []} <nil>
	// true
	// true
}
