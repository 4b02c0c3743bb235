package registry_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// exampleCandidate is an engine to publish. Its program is made up; a real one is the output
// of the linker.
func exampleCandidate() registry.Candidate {
	return registry.Candidate{
		Spec: sdk.Spec{
			Contract: sdk.ContractVersion, Capability: "mechanical.statics.beam", Version: "1.0.0",
			Tool: "beam", Group: "statics", Title: "Beam", Summary: "Deflection of a beam.",
			Outputs: []sdk.Field{{Name: "delta", Type: sdk.TypeNumber, Unit: "m", Required: true}},
		},
		Engines: map[string][]byte{runtime.GOOS + "/" + runtime.GOARCH: engine("beam")},
	}
}

// exampleRegistry is an empty registry.
func exampleRegistry() (r *registry.Registry, remove func()) {
	dir, err := os.MkdirTemp("", "registry")
	if err != nil {
		log.Fatal(err)
	}
	r, err = registry.Open(dir, &registry.Options{Engines: registry.EnginesLater})
	if err != nil {
		log.Fatal(err)
	}
	return r, func() { os.RemoveAll(dir) }
}

// A version is published once. Publishing the same content again changes nothing, and other
// content is refused.
func ExampleRegistry_Publish() {
	r, remove := exampleRegistry()
	defer remove()
	ctx := context.Background()

	c := exampleCandidate()
	for range 2 {
		p, err := r.Publish(ctx, c)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Capability, p.Version, p.Status)
	}
	c.Spec.Summary = "Something else."
	_, err := r.Publish(ctx, c)
	fmt.Println(err != nil)
	// Output:
	// mechanical.statics.beam 1.0.0 published
	// mechanical.statics.beam 1.0.0 unchanged
	// true
}

// Each release has its status and its tier.
func ExampleRegistry_Capabilities() {
	r, remove := exampleRegistry()
	defer remove()
	ctx := context.Background()
	if _, err := r.Publish(ctx, exampleCandidate()); err != nil {
		log.Fatal(err)
	}

	list, err := r.Capabilities(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		for _, release := range c.Releases {
			if release.Problem != nil {
				fmt.Println(release.Version, release.Problem)
				continue
			}
			fmt.Println(c.ID, release.Version, release.State(), release.Verification.Tier)
		}
	}
	// Output:
	// mechanical.statics.beam 1.0.0 active candidate
}

// Release opens only the directory of its capability.
func ExampleRegistry_Release() {
	r, remove := exampleRegistry()
	defer remove()
	ctx := context.Background()
	if _, err := r.Publish(ctx, exampleCandidate()); err != nil {
		log.Fatal(err)
	}

	release, err := r.Release(ctx, "mechanical.statics.beam", "1.0.0")
	if err != nil {
		log.Fatal(err)
	}
	engine, err := release.Engine()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(release.Spec.Title, len(engine) > 0)

	_, err = r.Release(ctx, "mechanical.statics.beam", "9.0.0")
	fmt.Println(err)
	// Output:
	// Beam true
	// read mechanical.statics.beam 9.0.0: it is not published
}
