package remote_test

import (
	"fmt"
	"log"
	"os"

	"github.com/slipstick/slipstick/registry/remote"
)

// A remote registry can be used wherever a registry can be named. Open sends no requests. The
// mirror can be read while the registry is down, and Sync updates the mirror.
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
	// "oci://Not An Address" is not the URL of a registry: write oci://host[:port]/prefix, the prefix in lower case and without a tag
}
