package timestamp

import (
	"crypto/sha256"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority starts a timestamp authority: an HTTP server that runs openssl ts. Its chain is a root
// and the certificate that signs.
func authority(t *testing.T) (address string, roots *x509.CertPool) {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	dir := t.TempDir()
	openssl := func(args ...string) {
		t.Helper()
		cmd := exec.Command("openssl", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("openssl %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("serial", "01\n")
	write("tsa.cnf", `[tsa]
default_tsa = it
[it]
dir = .
serial = serial
signer_cert = tsa.pem
certs = root.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
accuracy = secs:1
[use]
extendedKeyUsage = critical,timeStamping
`)
	openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "root.key", "-out", "root.pem", "-subj", "/CN=root")
	openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=tsa")
	openssl("x509", "-req", "-in", "tsa.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-out", "tsa.pem", "-extfile", "tsa.cnf", "-extensions", "use")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" || r.Header.Get("Content-Type") != mediaQuery {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		query, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/other" {
			query[len(query)-20] ^= 1 // of the digest or the nonce
		}
		write("query", string(query))
		openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", "-out", "reply")
		http.ServeFile(w, r, filepath.Join(dir, "reply"))
	}))
	t.Cleanup(server.Close)
	pem, err := os.ReadFile(filepath.Join(dir, "root.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots, err = Roots(pem)
	if err != nil {
		t.Fatal(err)
	}
	return server.URL, roots
}

func TestStampsAreMadeAndVerified(t *testing.T) {
	address, roots := authority(t)
	digest := sha256.Sum256([]byte("a statement"))
	before := time.Now().Add(-time.Second)
	token, err := Request(t.Context(), address, digest)
	if err != nil {
		t.Fatal(err)
	}
	at, err := Verify(token, digest, roots)
	if err != nil || at.Before(before.Truncate(time.Second)) || at.After(time.Now().Add(time.Second)) {
		t.Fatalf("%s, %v", at, err)
	}
	forged := []byte(strings.Replace(string(token), string(digest[:]), string(make([]byte, len(digest))), 1))
	for _, tt := range []struct {
		name   string
		token  []byte
		digest [sha256.Size]byte
		roots  *x509.CertPool
	}{
		{"other bytes", token, sha256.Sum256([]byte("another")), roots},
		{"a token that was changed", forged, [sha256.Size]byte{}, roots},
		{"an untrusted authority", token, digest, x509.NewCertPool()},
		{"no token", []byte("none"), digest, roots},
		{"half a token", token[:len(token)/2], digest, roots},
	} {
		if at, err := Verify(tt.token, tt.digest, tt.roots); err == nil || !at.IsZero() {
			t.Errorf("%s: %s, %v", tt.name, at, err)
		}
	}
	for _, path := range []string{"/down", "/other"} {
		if token, err := Request(t.Context(), address+path, digest); err == nil {
			t.Errorf("%s: a token of %d bytes", path, len(token))
		}
	}
	if _, err := Roots([]byte("none")); err == nil {
		t.Error("roots were read where there are none")
	}
}
