package lockfile_test

import (
	"fmt"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
)

// A locked version has to stay byte-identical.
func ExampleFile_Differences() {
	published := []registry.Capability{{ID: "mechanical.statics.beam", Current: "1.0.0", Releases: []*registry.Release{
		{Capability: "mechanical.statics.beam", Version: "1.0.0", Digest: "sha256:1f9b", Engines: map[string]string{"linux/amd64": "sha256:7c0d"}},
	}}}
	lock, err := lockfile.All("var/registry", published)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lock.Releases[0].Version, lock.Releases[0].Current, lock.Differences(published))

	published[0].Releases[0].Digest = "sha256:0bad"
	for _, difference := range lock.Differences(published) {
		fmt.Println(difference)
	}
	// Output:
	// 1.0.0 true []
	// mechanical.statics.beam 1.0.0: it is locked as sha256:1f9b, and the registry has sha256:0bad: it is not run
}
