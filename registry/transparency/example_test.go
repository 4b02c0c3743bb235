package transparency_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/registry/transparency"
)

// A reader who keeps the last checkpoint notices that entries were removed.
func ExampleLog_Continues() {
	empty, err := transparency.New("registry.example.org")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2027, 3, 31, 12, 0, 0, 0, time.UTC)
	digest := "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	first, err := empty.Append(at, []transparency.Entry{
		{Kind: transparency.Published, Capability: "geometry.areas.disc", Version: "1.0.0", Release: digest, Tool: "disc"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := first.Append(at.Add(time.Hour), []transparency.Entry{
		{Kind: transparency.Current, Capability: "geometry.areas.disc", Version: "1.0.0", Release: digest},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(second.Continues(first.Checkpoint()))
	var fault *transparency.Fault
	fmt.Println(errors.As(first.Continues(second.Checkpoint()), &fault), fault.Kind)
	// Output:
	// <nil>
	// true shortened
}
