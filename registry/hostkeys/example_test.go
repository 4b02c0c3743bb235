package hostkeys_test

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/registry/hostkeys"
)

// A reader verifies the signature of a snapshot with the published keys of the server.
func ExampleSet_Signer() {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	document, err := hostkeys.New([]hostkeys.Private{{Key: private}})
	if err != nil {
		fmt.Println(err)
		return
	}
	published, err := document.JSON()
	if err != nil {
		fmt.Println(err)
		return
	}
	message := []byte("a snapshot")
	signature := ed25519.Sign(private, message)

	read, err := hostkeys.Parse(published)
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := hostkeys.Set{{Name: "calc.example.org", Document: read}}
	key, err := keys.Signer(private.Public().(ed25519.PublicKey), hostkeys.Snapshots, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(key.Name, key.Verify(message, signature), key.Verify([]byte("another"), signature))
	// Output: calc.example.org true false
}
