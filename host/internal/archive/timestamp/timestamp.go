// Package timestamp proves that bytes existed at a time. [Request] gets an RFC 3161 timestamp token
// for a digest from a timestamp authority, and [Verify] checks a token.
package timestamp

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"time"

	"github.com/digitorus/pkcs7"
	"github.com/digitorus/timestamp"
)

// MaxToken is the maximum size of a token, in bytes.
const MaxToken = 64 << 10

const (
	mediaQuery = "application/timestamp-query"
	timeout    = 30 * time.Second
)

var client = &http.Client{Timeout: timeout}

// Request returns a token of the timestamp authority at the URL for the digest.
func Request(ctx context.Context, address string, digest [sha256.Size]byte) ([]byte, error) {
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		return nil, err
	}
	query, err := (&timestamp.Request{HashAlgorithm: crypto.SHA256, HashedMessage: digest[:], Certificates: true, Nonce: nonce}).Marshal()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(query))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", mediaQuery)
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxToken+1))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers with %s", address, resp.Status)
	case len(body) > MaxToken:
		return nil, fmt.Errorf("%s answers with more than %d bytes", address, MaxToken)
	}
	t, err := timestamp.ParseResponse(body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s answers with no token: %w", address, err)
	case t.Nonce == nil || t.Nonce.Cmp(nonce) != 0:
		return nil, fmt.Errorf("%s answers another request", address)
	}
	return t.RawToken, about(t, digest)
}

var errOther = errors.New("the timestamp is for other bytes")

// about returns an error if the timestamp is not for the digest.
func about(t *timestamp.Timestamp, digest [sha256.Size]byte) error {
	if t.HashAlgorithm != crypto.SHA256 || !bytes.Equal(t.HashedMessage, digest[:]) {
		return errOther
	}
	return nil
}

// Verify returns the time in a token for the digest. A timestamp authority that one of the roots
// certifies must have signed the token.
func Verify(token []byte, digest [sha256.Size]byte, roots *x509.CertPool) (at time.Time, err error) {
	t, err := timestamp.Parse(token)
	if err != nil {
		return at, fmt.Errorf("the timestamp cannot be read: %w", err)
	}
	if err := about(t, digest); err != nil {
		return at, err
	}
	signed, err := pkcs7.Parse(token)
	if err != nil {
		return at, err
	}
	between := x509.NewCertPool()
	for _, c := range signed.Certificates {
		between.AddCert(c)
	}
	err = signed.VerifyWithOpts(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: t.Time, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping},
	})
	if err != nil {
		return at, fmt.Errorf("no trusted authority signed the timestamp: %w", err)
	}
	return t.Time, nil
}

// Roots reads the root certificates of timestamp authorities, in PEM.
func Roots(pem []byte) (*x509.CertPool, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("the file contains no PEM certificate")
	}
	return roots, nil
}
