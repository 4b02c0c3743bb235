package sign_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

var (
	day    = func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	digest = "sha256:" + strings.Repeat("a", 64)
	other  = "sha256:" + strings.Repeat("b", 64)
)

func about() sign.Subject {
	return sign.Subject{Capability: "electrical.basic.ohms_law", Version: "1.0.0", Release: digest, Engines: map[string]string{"linux/amd64": digest}}
}

func demand(at time.Time) sign.Demand {
	return sign.Demand{Kind: sign.Review, Roles: []sign.Role{sign.Reviews, sign.Expert}, About: about(), Content: other, Now: at}
}

func newKey(t testing.TB) (*sign.Signer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "anna")
	k, err := sign.NewKey(path, "")
	if err != nil {
		t.Fatal(err)
	}
	return k, path
}

func review(t testing.TB, k *sign.Signer, at time.Time, change ...func(*sign.Statement)) *sign.Signed {
	t.Helper()
	st := sign.Statement{Kind: sign.Review, Subject: about(), Content: other, Time: at}
	for _, c := range change {
		c(&st)
	}
	s, err := k.Sign(st)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trusting returns a trust file with one key.
func trusting(t testing.TB, k *sign.Signer, change ...func(*sign.Key)) *sign.Trust {
	t.Helper()
	entry := sign.Key{Name: "anna", PublicKey: k.PublicKey(), Roles: []sign.Role{sign.Reviews}, Capabilities: []string{"electrical.*"}}
	for _, c := range change {
		c(&entry)
	}
	data, err := json.Marshal(map[string]any{"keys": []sign.Key{entry}})
	if err != nil {
		t.Fatal(err)
	}
	trust, err := sign.ReadTrust(data)
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

func at(t time.Time) *time.Time { return &t }

func TestCheckHolds(t *testing.T) {
	k, _ := newKey(t)
	seen, err := trusting(t, k).Check(review(t, k, day(5)), demand(day(9)))
	if err != nil || seen.Key != "anna" || seen.KeyID != k.KeyID() || !seen.Time.Equal(day(5)) || !seen.Holds {
		t.Errorf("%+v, %v", seen, err)
	}
}

// A statement counts only if the key may sign exactly it, about exactly this release.
func TestCheckRefuses(t *testing.T) {
	k, _ := newKey(t)
	stranger, _ := newKey(t)
	keyed := func(c func(*sign.Key)) []func(*sign.Key) { return []func(*sign.Key){c} }
	stated := func(c func(*sign.Statement)) *sign.Signed { return review(t, k, day(5), c) }
	for _, tt := range []struct {
		name   string
		key    []func(*sign.Key)
		signed *sign.Signed
		why    string
	}{
		{"unknown key", nil, review(t, stranger, day(5)), "which the trust file does not have"},
		{"wrong role", keyed(func(k *sign.Key) { k.Roles = []sign.Role{sign.Publishes, sign.Reports} }), review(t, k, day(5)), "needs [review expert]"},
		{"wrong capability", keyed(func(k *sign.Key) { k.Capabilities = []string{"mechanical.*", "electrical.basic.ohms"} }), review(t, k, day(5)), "does not count for electrical.basic.ohms_law"},
		{"expired", keyed(func(k *sign.Key) { k.NotAfter = at(day(4)) }), review(t, k, day(5)), "expired on 2026-01-04"},
		{"before its time", keyed(func(k *sign.Key) { k.NotBefore = at(day(6)) }), review(t, k, day(5)), "counts only from 2026-01-06"},
		{"revoked", keyed(func(k *sign.Key) { k.RevokedAt, k.Reason = at(day(8)), "laptop stolen" }), review(t, k, day(5)), "was revoked on 2026-01-08T00:00:00Z: laptop stolen"},
		{"from the future", nil, review(t, k, day(10)), "in the future"},
		{"another release", nil, stated(func(s *sign.Statement) { s.Release = other }), "about the release " + `"` + other},
		{"another version", nil, stated(func(s *sign.Statement) { s.Version = "1.0.1" }), `about "electrical.basic.ohms_law" "1.0.1"`},
		{"another capability", nil, stated(func(s *sign.Statement) { s.Capability = "electrical.basic.power" }), `about "electrical.basic.power"`},
		{"another engine", nil, stated(func(s *sign.Statement) { s.Engines = map[string]string{"linux/amd64": other} }), "about the engine"},
		{"an engine more", nil, stated(func(s *sign.Statement) { s.Engines = map[string]string{"linux/amd64": digest, "linux/arm64": digest} }), "about 2 engines"},
		{"another platform", nil, stated(func(s *sign.Statement) { s.Engines = map[string]string{"linux/arm64": digest} }), "about the engine"},
		{"another document", nil, stated(func(s *sign.Statement) { s.Content = digest }), "about a document"},
		{"another kind", nil, stated(func(s *sign.Statement) { s.Kind = sign.Release }), `type "release"`},
		{"huge", nil, huge(review(t, k, day(5))), "does not hold"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen, err := trusting(t, k, tt.key...).Check(tt.signed, demand(day(9)))
			if err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%+v, %v; want an error with %q", seen, err, tt.why)
			}
		})
	}
}

func huge(s *sign.Signed) *sign.Signed {
	s.Document = append(s.Document, make([]byte, sign.MaxStatement)...)
	return s
}

// A signature counts only for exactly the signed bytes, in one spelling.
func TestEveryByteCounts(t *testing.T) {
	k, _ := newKey(t)
	trust, whole := trusting(t, k), review(t, k, day(5))
	flip := func(b []byte, i int) []byte {
		b = append([]byte(nil), b...)
		b[i] ^= 1
		return b
	}
	for i := range whole.Document {
		if _, err := trust.Check(&sign.Signed{Document: flip(whole.Document, i), Signature: whole.Signature}, demand(day(9))); err == nil {
			t.Fatalf("byte %d of the statement was changed", i)
		}
	}
	for n := range len(whole.Signature) - 1 { // the last byte is the line end
		if _, err := trust.Check(&sign.Signed{Document: whole.Document, Signature: whole.Signature[:n]}, demand(day(9))); err == nil {
			t.Fatalf("the signature was shortened to %d bytes", n)
		}
	}
	long := &sign.Signed{Document: whole.Document, Signature: append([]byte(strings.Repeat("x", sign.MaxSignature)), whole.Signature...)}
	if _, err := trust.Check(long, demand(day(9))); err == nil || !strings.Contains(err.Error(), "more than the 4096") {
		t.Errorf("a huge signature: %v", err)
	}
}

// A trust file with only the old key accepts its successor, and the next one.
func TestRotation(t *testing.T) {
	first, path := newKey(t)
	second, err := first.Rotate(path+"-2", "", day(10), nil)
	if err != nil {
		t.Fatal(err)
	}
	third, err := second.Rotate(path+"-3", "", day(20), at(day(25)))
	if err != nil {
		t.Fatal(err)
	}
	reread, err := sign.ReadKey(path+"-3.key", nil)
	if err != nil || reread.KeyID() != third.KeyID() {
		t.Fatalf("%v", err)
	}
	trust := trusting(t, first, func(k *sign.Key) { k.NotAfter = at(day(12)) })
	for _, tt := range []struct {
		name  string
		trust *sign.Trust
		by    *sign.Signer
		at    int
		why   string
	}{
		{"second", trust, second, 15, ""},
		{"third, read from its files", trust, reread, 21, ""},
		{"second before it took over", trust, second, 9, "counts only from"},
		{"third after its end", trust, third, 26, "expired"},
		{"second, of a first that had expired", trusting(t, first, func(k *sign.Key) { k.NotAfter = at(day(8)) }), second, 15, "expired"},
		{"second, of a first that was revoked", trusting(t, first, func(k *sign.Key) { k.RevokedAt = at(day(1)) }), second, 15, "was revoked"},
		{"third, while the second is revoked in the file", revoking(t, first, second), third, 21, "was revoked"},
		{"second, of a stranger", trusting(t, third), second, 15, "the trust file does not have"},
	} {
		seen, err := tt.trust.Check(review(t, tt.by, day(tt.at)), demand(day(28)))
		if (err == nil) != (tt.why == "") || err != nil && !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %+v, %v; want %q", tt.name, seen, err, tt.why)
		}
		if err == nil && (len(seen.Via) == 0 || seen.Via[0] != "anna") {
			t.Errorf("%s: via %v", tt.name, seen.Via)
		}
	}
	bare := review(t, second, day(15))
	bare.Rotations = nil
	if _, err := trust.Check(bare, demand(day(28))); err == nil {
		t.Error("the second key counted without the statement of the first")
	}
	stolen := review(t, third, day(21)) // it claims a chain that another key signed
	stranger, strange := newKey(t)
	if next, err := stranger.Rotate(strange+"-2", "", day(10), nil); err != nil {
		t.Fatal(err)
	} else {
		stolen.Rotations = review(t, next, day(15)).Rotations
	}
	if _, err := trust.Check(stolen, demand(day(28))); err == nil {
		t.Error("a chain by a stranger counted")
	}
}

func revoking(t *testing.T, first, second *sign.Signer) *sign.Trust {
	t.Helper()
	all := []sign.Role{sign.Reviews}
	data, _ := json.Marshal(map[string]any{"keys": []sign.Key{
		{Name: "anna", PublicKey: first.PublicKey(), Roles: all, Capabilities: []string{"*"}},
		{Name: "anna-2", PublicKey: second.PublicKey(), Roles: all, Capabilities: []string{"*"}, RevokedAt: at(day(21)), Reason: "lost"},
	}})
	trust, err := sign.ReadTrust(data)
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

func TestTrustFileIsRefused(t *testing.T) {
	k, _ := newKey(t)
	good := `{"name":"a","public_key":"` + k.PublicKey() + `","roles":["review"],"capabilities":["*"]}`
	for _, tt := range []struct{ text, why string }{
		{`{"keys":[]}`, "no keys"},
		{`{"keys":[` + good + `,` + good + `]}`, "another key"},
		{`{"keys":[` + strings.Replace(good, "review", "boss", 1) + `]}`, `unknown role "boss"`},
		{`{"keys":[` + strings.Replace(good, `["*"]`, `[]`, 1) + `]}`, "no capabilities"},
		{`{"keys":[` + strings.Replace(good, `["*"]`, `["elec*"]`, 1) + `]}`, "a prefix such as"},
		{`{"keys":[` + strings.Replace(good, `"name":"a"`, `"name":""`, 1) + `]}`, "it has no name"},
		{`{"keys":[` + strings.Replace(good, `["review"]`, `[]`, 1) + `]}`, "it has no roles: [publish report review expert rebuild log witness]"},
		{`{"keys":[` + strings.Replace(good, `{"name"`, `{"reason":"x","name"`, 1) + `]}`, "it has a reason, but no revoked_at"},
		{`{"keys":[` + strings.Replace(good, `{"name"`, `{"tools":[],"name"`, 1) + `]}`, "tools is empty"},
		{`{"keys":[` + strings.Replace(good, "RW", "RX", 1) + `]}`, "public_key"},
		{`{"keys":[` + strings.Replace(good, `{"name"`, `{"not_afer":"2026-01-01T00:00:00Z","name"`, 1) + `]}`, "not_afer"},
		{`{"keys":[` + strings.Replace(good, `{"name"`, `{"name":"b","name"`, 1) + `]}`, "duplicate"},
	} {
		if _, err := sign.ReadTrust([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.why)
		}
	}
	file := filepath.Join(t.TempDir(), "trust.json")
	if err := os.WriteFile(file, []byte(`{"keys":[`+good+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sign.ReadTrustFile(file); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := sign.ReadTrustFile(file); err == nil || !strings.Contains(err.Error(), "chmod o-w") {
		t.Errorf("a file that everybody can change: %v", err)
	}
}

func TestKeyFilesOfOthersAreRefused(t *testing.T) {
	_, path := newKey(t)
	if info, err := os.Stat(path + ".key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if _, err := sign.NewKey(path, ""); err == nil || !strings.Contains(err.Error(), "not replaced") {
		t.Errorf("a key was replaced: %v", err)
	}
	for _, mode := range []os.FileMode{0o604, 0o640} {
		if err := os.Chmod(path+".key", mode); err != nil {
			t.Fatal(err)
		}
		if _, err := sign.ReadKey(path+".key", nil); err == nil || !strings.Contains(err.Error(), "can be used by others") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if _, err := sign.ReadKey(path+".pub", nil); err == nil {
		t.Error("a public key was read as a secret one")
	}
}

// The command minisign makes keys that this package signs with, and checks its signatures.
func TestMinisignAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs minisign")
	}
	if _, err := exec.LookPath("minisign"); err != nil {
		t.Fatal("minisign is missing: apt-get install minisign")
	}
	dir := t.TempDir()
	minisign := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "minisign", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("minisign %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	minisign("secret\nsecret\n", "-G", "-p", "theirs.pub", "-s", "theirs.key")
	if err := os.Chmod(filepath.Join(dir, "theirs.key"), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs, err := sign.ReadKey(filepath.Join(dir, "theirs.key"), func() (string, error) { return "secret", nil })
	if err != nil {
		t.Fatal(err)
	}
	s := review(t, theirs, day(5))
	for name, data := range map[string][]byte{"statement": s.Document, "statement.minisig": s.Signature} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := minisign("", "-V", "-p", "theirs.pub", "-m", "statement"); !strings.Contains(out, sign.Format+": review") {
		t.Errorf("minisign printed %s", out)
	}
	if _, err := sign.NewKey(filepath.Join(dir, "ours"), "secret"); err != nil {
		t.Fatal(err)
	}
	minisign("secret\n", "-S", "-s", "ours.key", "-m", "statement", "-x", "by-ours")
	minisign("", "-V", "-p", "ours.pub", "-m", "statement", "-x", "by-ours")
}
