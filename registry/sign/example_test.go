package sign_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// A statement counts if a key of the trust file has signed it, and that key may make such
// statements about the capability.
func ExampleTrust_Check() {
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	key, err := sign.NewKey(filepath.Join(dir, "publisher"), "")
	if err != nil {
		log.Fatal(err)
	}
	beam := sign.Subject{
		Capability: "mechanical.statics.beam", Version: "1.0.0",
		Release: "sha256:1f9b", Engines: map[string]string{"linux/amd64": "sha256:7c0d"},
	}
	signed, err := key.Sign(sign.Statement{Kind: sign.Release, Subject: beam, Time: time.Now()})
	if err != nil {
		log.Fatal(err)
	}

	for _, scope := range []string{"mechanical.*", "electrical.*"} {
		trust, err := sign.ReadTrust(fmt.Appendf(nil,
			`{"keys": [{"name": "Bureau", "public_key": %q, "roles": ["publish"], "capabilities": [%q]}]}`, key.PublicKey(), scope))
		if err != nil {
			log.Fatal(err)
		}
		by, err := trust.Check(signed, sign.Demand{Kind: sign.Release, Roles: []sign.Role{sign.Publishes}, About: beam, Now: time.Now()})
		fmt.Println(by.Key, by.Holds, err)
	}
	// Output:
	// Bureau true <nil>
	// Bureau true the key "Bureau" does not count for mechanical.statics.beam, only for electrical.*
}
