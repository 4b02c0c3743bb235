package snapshot_test

import (
	"bytes"
	"compress/flate"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

var update = flag.Bool("update", false, "write golden files; never for format e1, which must not change")

const prefix = "cx_e1_"

func TestEmbeddedRoundTrip(t *testing.T) {
	store := embedding(t, seed)
	for _, answer := range answers {
		made := create(t, store, content(t, answer))
		read := get(t, embedding(t, seed), made.ID)
		if read.ID != made.ID || !bytes.Equal(read.Body, made.Body) || !read.ExpiresAt.IsZero() || read.Created || read.Fallback {
			t.Errorf("%s: read %+v, made %+v", answer, read, made)
		}
		if again := create(t, store, content(t, answer)); again.ID != made.ID {
			t.Errorf("%s: two ids of one content", answer)
		}
	}
}

// Ids are short enough for emails.
func TestEmbeddedSizes(t *testing.T) {
	store := embedding(t, seed)
	for _, tt := range []struct {
		answer string
		limit  int
	}{{"cantilever", 320}, {"cantilever_full", 430}, {"grey", 370}, {"ohms", 350}, {"watts", 380}, {"amps", 330}, {"unseen", 1300}} {
		id := create(t, store, content(t, tt.answer)).ID
		t.Logf("%s: an id of %d characters for an answer of %d bytes", tt.answer, len(id), len(content(t, tt.answer).Result))
		if len(id) > tt.limit {
			t.Errorf("%s: %d characters, more than %d", tt.answer, len(id), tt.limit)
		}
	}
}

// Format e1 never changes: every id that was ever made reads the same.
func TestE1NeverChanges(t *testing.T) {
	dictionary := file(t, "e1.dict")
	const pinned = "fee4ed31c7b5fb94b5aae7d93449aa576280f5f91bc6bb9efc5fa7bf2e5668c0"
	if sum := fmt.Sprintf("%x", sha256.Sum256(dictionary)); sum != pinned {
		t.Errorf("e1.dict has the sha256 %s, and ids were made with %s: restore it", sum, pinned)
	}
	for _, answer := range answers {
		idFile, bodyFile := filepath.Join("testdata", answer+".id"), filepath.Join("testdata", answer+".body")
		if *update {
			snap := create(t, embedding(t, seed), content(t, answer))
			save(t, idFile, snap.ID, 0o644)
			save(t, bodyFile, string(snap.Body), 0o644)
		}
		snap := get(t, embedding(t, seed), string(file(t, idFile)))
		if !bytes.Equal(snap.Body, file(t, bodyFile)) {
			t.Errorf("%s: body\n%s\nwant that of %s", answer, snap.Body, bodyFile)
		}
	}
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func wantNotFound(t *testing.T, s *snapshot.Store, what, id string) {
	t.Helper()
	if snap, err := s.Get(t.Context(), id); !errors.Is(err, snapshot.ErrNotFound) || snap.ID != "" {
		t.Errorf("%s: %+v, %v, want ErrNotFound", what, snap, err)
	}
}

// No bit of an id or of its decoded bytes can change.
func TestEveryBitCounts(t *testing.T) {
	store := embedding(t, seed)
	id := create(t, store, content(t, "amps")).ID
	flip := func(b []byte, bit int) []byte {
		b = bytes.Clone(b)
		b[bit/8] ^= 1 << (bit % 8)
		return b
	}
	for bit := range 8 * len(id) {
		wantNotFound(t, store, fmt.Sprintf("bit %d of the text", bit), string(flip([]byte(id), bit)))
	}
	raw := decode(t, id)
	for bit := range 8 * len(raw) {
		wantNotFound(t, store, fmt.Sprintf("bit %d of the bytes", bit), encode(flip(raw, bit)))
	}
}

func TestOneSpelling(t *testing.T) {
	store := embedding(t, seed)
	padded := 0
	for _, answer := range answers {
		id := create(t, store, content(t, answer)).ID
		text := strings.TrimPrefix(id, prefix)
		raw := decode(t, id)
		for n := range len(id) {
			wantNotFound(t, store, fmt.Sprintf("first %d characters", n), id[:n])
		}
		for _, tt := range []struct{ what, id string }{
			{"appended character", id + "A"},
			{"appended group", id + "AAAA"},
			{"appended byte", encode(append(bytes.Clone(raw), 0))},
			{"padding", prefix + base64.URLEncoding.EncodeToString(raw) + "="},
			{"other alphabet", prefix + strings.NewReplacer("-", "+", "_", "/").Replace(text)},
			{"line end after", id + "\n"},
			{"line end within", id[:50] + "\r\n" + id[50:]},
			{"space", id + " "},
			{"percent sign", id + "%00"},
			{"no prefix", text},
			{"other format", "cx_e2_" + text},
			{"upper-case prefix", "CX_E1_" + text},
			{"prefix twice", prefix + id},
		} {
			if tt.id != id { // an id can lack the characters in which the alphabets differ
				wantNotFound(t, store, answer+": "+tt.what, tt.id)
			}
		}
		if spare := len(text) % 4; spare != 0 {
			padded++
			wantNotFound(t, store, answer+": trailing bits", id[:len(id)-1]+string(nextLetter(id[len(id)-1])))
		}
	}
	if padded == 0 {
		t.Error("no id has trailing bits to test")
	}
}

// nextLetter returns a letter that differs only in the last bit, which is unused.
func nextLetter(c byte) byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return letters[strings.IndexByte(letters, c)^1]
}

func TestOtherKey(t *testing.T) {
	id := create(t, embedding(t, seed), content(t, "ohms")).ID
	wantNotFound(t, embedding(t, seed2), "unknown key", id)
	mine, theirs := decode(t, id), decode(t, create(t, embedding(t, seed2), content(t, "ohms")).ID)
	copy(theirs, mine[:4])
	wantNotFound(t, embedding(t, seed), "my key id, their signature", encode(theirs))
}

// A snapshot of a version that no engine has is served, because it never changes.
func TestUnknownVersionIsServed(t *testing.T) {
	c := content(t, "ohms")
	c.Version = "99.0.0-never"
	made := create(t, embedding(t, seed), c)
	if read := get(t, embedding(t, seed), made.ID); !bytes.Equal(read.Body, made.Body) {
		t.Errorf("body %s", read.Body)
	}
}

// forge signs any payload with a key of the seed, as only a fault of the service or a stolen key
// could do. It follows the text of the format, not the code.
func forge(t testing.TB, seed string, payload []byte) string {
	t.Helper()
	secret, err := hex.DecodeString(seed)
	if err != nil {
		t.Fatal(err)
	}
	private := ed25519.NewKeyFromSeed(secret)
	id := sha256.Sum256(append([]byte("slipstick snapshot key\x00"), private.Public().(ed25519.PublicKey)...))
	raw := append(bytes.Clone(id[:4]), payload...)
	signature := ed25519.Sign(private, append([]byte("slipstick snapshot cx_e1_\x00"), raw...))
	return encode(append(raw, signature...))
}

func encode(raw []byte) string { return prefix + base64.RawURLEncoding.EncodeToString(raw) }

func decode(t testing.TB, id string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(id, prefix))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func deflate(t testing.TB, frame []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, 9, file(t, "e1.dict"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(frame)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func frame(parts ...string) []byte {
	var b []byte
	for _, part := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return b
}

// head has the time and the digest before a payload.
var head = append([]byte{0, 0x6a, 0, 0, 0}, make([]byte, 32)...)

// Even data that our key signed is read strictly.
func TestSignedButWrong(t *testing.T) {
	store := embedding(t, seed)
	const ok = `{"status":"success"}`
	good := frame("tool", "capability", "1.0.0", ok, "{}")
	signed := func(tail []byte) string { return forge(t, seed, append(bytes.Clone(head), tail...)) }
	if snap := get(t, store, signed(deflate(t, good))); !strings.Contains(string(snap.Body), `"capability_id":"capability"`) {
		t.Fatalf("body %s", snap.Body)
	}
	stored := func(frame []byte) []byte { // another compression of the same frame
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, 0)
		w.Write(frame)
		w.Close()
		return b.Bytes()
	}
	for _, tt := range []struct {
		name string
		tail []byte
	}{
		{"nothing", nil},
		{"no deflate stream", []byte{7}},
		{"half a stream", deflate(t, good)[:10]},
		{"bytes after the stream", append(deflate(t, good), 0)},
		{"two streams", append(deflate(t, good), deflate(t, good)...)},
		{"empty frame", deflate(t, nil)},
		{"four parts", deflate(t, frame("tool", "capability", "1.0.0", ok))},
		{"six parts", deflate(t, frame("tool", "capability", "1.0.0", ok, "{}", ""))},
		{"long-winded length", deflate(t, append([]byte{0x84, 0}, good[1:]...))},
		{"length beyond the end", deflate(t, append(bytes.Clone(good[:len(good)-3]), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1))},
		{"space in JSON", deflate(t, frame("tool", "capability", "1.0.0", ok+" ", "{}"))},
		{"an error", deflate(t, frame("tool", "capability", "1.0.0", `{"status":"error"}`, "{}"))},
		{"no tool", deflate(t, frame("", "capability", "1.0.0", ok, "{}"))},
	} {
		wantNotFound(t, store, tt.name, signed(tt.tail))
	}
	wantNotFound(t, store, "no head", forge(t, seed, nil))
	wantNotFound(t, store, "half a head", forge(t, seed, head[:36]))
	get(t, store, signed(stored(good))) // only our key could make this encoding
}

// A decompression bomb inflates to at most 64 KiB and is rejected.
func TestBombs(t *testing.T) {
	store := embedding(t, seed)
	big := frame("tool", "capability", "1.0.0", `{"status":"success","a":"`+strings.Repeat("a", 4<<20)+`"}`, "{}")
	bomb := forge(t, seed, append(bytes.Clone(head), deflate(t, big)...))
	if len(bomb) > snapshot.MaxEmbedded {
		t.Fatalf("the bomb has %d characters and would be refused for that", len(bomb))
	}
	wantNotFound(t, store, "bomb", bomb)
	if used := bytesAllocated(func() { wantNotFound(t, store, "bomb", bomb) }); used > 1<<20 {
		t.Errorf("a bomb of 4 MiB takes %d bytes", used)
	}
	fits := func(size int) []byte {
		empty := len(frame("tool", "capability", "1.0.0", strings.Repeat("a", 1<<15), "{}")) - 1<<15
		result := `{"status":"success","a":"` + strings.Repeat("a", size-empty-len(`{"status":"success","a":""}`)) + `"}`
		return frame("tool", "capability", "1.0.0", result, "{}")
	}
	if n := len(fits(64 << 10)); n != 64<<10 {
		t.Fatalf("the frame has %d bytes", n)
	}
	get(t, store, forge(t, seed, append(bytes.Clone(head), deflate(t, fits(64<<10))...)))
	wantNotFound(t, store, "64 KiB and 1", forge(t, seed, append(bytes.Clone(head), deflate(t, fits(64<<10+1))...)))
}

func bytesAllocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// An id that is too long is rejected before it is decoded.
func TestOverlongIsCheap(t *testing.T) {
	store := embedding(t, seed)
	long := prefix + strings.Repeat("A", 100_000)
	wantNotFound(t, store, "100 kB", long)
	if allocs := testing.AllocsPerRun(100, func() { _, _ = store.Get(t.Context(), long) }); allocs > 0 {
		t.Errorf("refusing 100 kB allocates %v times", allocs)
	}
}

// Content that fits can be read. For other content, Create returns an error.
func TestEmbeddedLimit(t *testing.T) {
	store := embedding(t, seed)
	longest, refused := 0, 0
	for size := 7000; size < 7900; size += 7 {
		snap, err := store.Create(t.Context(), sized(size))
		if err != nil {
			refused++
			if !errors.Is(err, snapshot.ErrUnavailable) || !errors.Is(err, snapshot.ErrTooLarge) || len(snap.ID) > 0 {
				t.Fatalf("%d bytes: %+v, %v", size, snap, err)
			}
			continue
		}
		longest = max(longest, len(snap.ID))
		get(t, store, snap.ID)
	}
	if refused == 0 || longest > snapshot.MaxEmbedded || longest < snapshot.MaxEmbedded-20 {
		t.Errorf("longest id %d, refused %d", longest, refused)
	}
	c := sized(0)
	c.Result = []byte(`{"status":"success","a":"` + strings.Repeat("a", 70<<10) + `"}`)
	if _, err := store.Create(t.Context(), c); !errors.Is(err, snapshot.ErrTooLarge) {
		t.Errorf("a frame over 64 KiB: %v, want ErrTooLarge", err)
	}
}

// Without a store, no short id is found.
func TestNoStore(t *testing.T) {
	for _, id := range []string{"", "cx_", "cx_abcdefghijklmnopqrstuvwxyz", prefix, "cx_e1", "/s/x"} {
		wantNotFound(t, embedding(t, seed), id, id)
	}
}

func TestManyEmbedded(t *testing.T) {
	store := embedding(t, seed)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := content(t, answers[r.IntN(len(answers))])
		c.Inputs = fmt.Appendf(nil, `{"x":%v,"y":"%s"}`, r.NormFloat64(), noise(r.IntN(200)))
		made := create(t, store, c)
		if read := get(t, store, made.ID); !bytes.Equal(read.Body, made.Body) {
			t.Fatalf("body %s, want %s", read.Body, made.Body)
		}
	}
}
