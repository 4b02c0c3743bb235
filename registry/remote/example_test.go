package remote_test

import (
	"fmt"
	"log"
	"os"

	"github.com/slipstick/slipstick/registry/remote"
)

// Whatever names a registry may name one elsewhere. Opening it asks nothing of it: what was
// mirrored before can be read while it is down, and Sync brings the mirror up to date.
func ExampleOpen() {
	mirrors, err := os.MkdirTemp("", "mirrors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(mirrors)
	for _, place := range []string{"var/registry", "oci://registry.example.org/team/calc", "oci://Not An Address"} {
		if !remote.IsAddress(place) {
			fmt.Println(place, "is a directory")
			continue
		}
		r, err := remote.Open(place, mirrors, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(r)
	}
	// Output:
	// var/registry is a directory
	// oci://registry.example.org/team/calc
	// "oci://Not An Address" is no address of a registry: write oci://host[:port]/prefix, the prefix in lower case and without a tag
}
