// Package roots has the certificate authorities that an image trusts, see [PEM]. They are Mozilla's
// authorities in the version of the Go module that go.mod pins, so that every machine makes the same
// image.
package roots

import (
	"bytes"
	"encoding/pem"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// PEM returns the certificates. It omits an authority that Mozilla trusts only up to a date,
// because a file of certificates cannot express this.
func PEM() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer never fails
		}
	}
	return out.Bytes()
}
