// Package roots answers one question: which certificate authorities does an image trust? They
// are those of Mozilla, in the version of the Go module that go.mod pins, so that every machine
// makes the same image.
package roots

import (
	"bytes"
	"encoding/pem"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// PEM returns the certificates. An authority that Mozilla trusts only up to a date is left out,
// for a file of certificates cannot say so.
func PEM() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return out.Bytes()
}
