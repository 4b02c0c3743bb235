package snapshot_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

// filing returns a store with a file in the directory.
func filing(t testing.TB, dir string, edits ...func(*snapshot.Options)) *snapshot.Store {
	t.Helper()
	o := &snapshot.Options{Deadline: 20 * time.Second, Now: at(noon)}
	for _, edit := range edits {
		edit(o)
	}
	if o.File == nil {
		o.File = snapshot.NewFile(dir, &snapshot.FileOptions{Now: o.Now})
	}
	store, err := snapshot.New(keysOf(t, seed), o)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// numbered returns content that is different for each number.
func numbered(t testing.TB, i int) snapshot.Content {
	c := content(t, "cantilever")
	c.Inputs = fmt.Appendf(nil, `{"length":%d}`, i)
	return c
}

// A file returns stored records with the same bytes, also to a process that opens it later. Redis
// would use the same ids.
func TestFileKeeps(t *testing.T) {
	dir := t.TempDir()
	store := filing(t, dir)
	wantNotFound(t, store, "before there is a file", "cx_"+strings.Repeat("a", 26))
	for _, answer := range answers {
		made := create(t, store, content(t, answer))
		if !regexp.MustCompile(`^cx_[a-z2-7]{26}$`).MatchString(made.ID) || !made.Created || made.Fallback || !made.ExpiresAt.Equal(noon.Add(snapshot.Lifetime)) {
			t.Errorf("%s: made %+v", answer, made)
		}
		for _, reader := range []*snapshot.Store{store, filing(t, dir)} {
			if read := get(t, reader, made.ID); !bytes.Equal(read.Body, made.Body) || !read.ExpiresAt.Equal(made.ExpiresAt) || read.Created {
				t.Errorf("%s: read %+v", answer, read)
			}
		}
		later := content(t, answer)
		later.CreatedAt = noon.Add(time.Hour)
		if again := create(t, filing(t, dir, aged(time.Hour)), later); again.Created || again.ID != made.ID || !bytes.Equal(again.Body, made.Body) {
			t.Errorf("%s: again %+v", answer, again)
		}
	}
	wantNotFound(t, store, "unknown", "cx_"+strings.Repeat("a", 26))
	if info, err := os.Stat(filepath.Join(dir, snapshot.FileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v", info.Mode(), err)
	}
	if large := create(t, store, sized(900_000)); large.Fallback {
		t.Error(large.Cause)
	} else if read := get(t, store, large.ID); !bytes.Equal(read.Body, large.Body) {
		t.Error("a large record has changed")
	}
}

func TestFileGivesTheIDsOfRedis(t *testing.T) {
	inFile := create(t, filing(t, t.TempDir()), content(t, "ohms"))
	inRedis := create(t, storing(t, connect(t, startRedis(t).addr)), content(t, "ohms"))
	if inFile.ID != inRedis.ID || !bytes.Equal(inFile.Body, inRedis.Body) {
		t.Errorf("%s in the file, %s in Redis", inFile.ID, inRedis.ID)
	}
}

// Several servers can share a data directory: one of many concurrent callers creates the snapshot,
// and all get its bytes.
func TestFileTogether(t *testing.T) {
	dir := t.TempDir()
	hosts := []*snapshot.Store{filing(t, dir), filing(t, dir), filing(t, dir)}
	var created atomic.Int32
	bodies := make([]string, 60)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() {
			snap, err := hosts[i%len(hosts)].Create(t.Context(), numbered(t, i/6))
			if err != nil || snap.Fallback {
				t.Errorf("%+v, %v", snap, err)
			}
			if snap.Created {
				created.Add(1)
			}
			bodies[i] = string(snap.Body)
		})
	}
	wg.Wait()
	if created.Load() != 10 {
		t.Errorf("%d were created", created.Load())
	}
	for i, body := range bodies {
		if body != bodies[i/6*6] {
			t.Fatal("callers were given different bytes")
		}
	}
}

const (
	createsIn = "SLIPSTICK_TEST_CREATES_IN"
	mayWrite  = "SLIPSTICK_TEST_MAY_WRITE"
)

// createOn creates snapshots until it is killed, and prints their ids. It can be a process with a
// limit on the bytes that it can write, as on a full disk.
func createOn(dir string) {
	if limit := os.Getenv(mayWrite); limit != "" {
		var bytes uint64
		_, _ = fmt.Sscan(limit, &bytes)
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
			panic(err)
		}
	}
	t := new(testing.T)
	store := filing(t, dir)
	var next atomic.Int64
	for range 4 {
		go func() {
			for {
				i := int(next.Add(1))
				snap, err := store.Create(context.Background(), numbered(t, i))
				fmt.Println(i, snap.ID, snap.Fallback, err == nil)
			}
		}()
	}
	select {}
}

// createUntilKilled starts a process that creates snapshots. It returns the short ids when there are enough,
// and kills the process.
func createUntilKilled(t *testing.T, dir string, until func(ids map[int]string, fallback bool) bool, env ...string) map[int]string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), createsIn+"="+dir), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ids := map[int]string{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var i int
		var id string
		var fallback, ok bool
		if n, _ := fmt.Sscan(lines.Text(), &i, &id, &fallback, &ok); n != 4 || !ok {
			t.Errorf("%q", lines.Text())
			break
		}
		if !fallback {
			ids[i] = id
		}
		if until(ids, fallback) {
			break
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return ids
}

// P5: acknowledged records can be read after the process was killed during a write, repeatedly on
// one file.
func TestFileKilled(t *testing.T) {
	dir := t.TempDir()
	all := map[int]string{}
	for round := range 5 {
		for i, id := range createUntilKilled(t, dir, func(ids map[int]string, _ bool) bool { return len(ids) > 100+37*round }) {
			all[i] = id
		}
		store := filing(t, dir)
		for i, id := range all {
			if read := get(t, store, id); !strings.Contains(string(read.Body), fmt.Sprintf(`"inputs":{"length":%d}`, i)) {
				t.Fatalf("round %d: %d is %s", round, i, read.Body)
			}
		}
	}
	if len(all) < 200 {
		t.Errorf("only %d were created", len(all))
	}
}

// On a full disk, new ids are embedded, and stored records can be read.
func TestFileOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	refused := 0
	ids := createUntilKilled(t, dir, func(_ map[int]string, fallback bool) bool {
		if fallback {
			refused++
		}
		return refused > 20
	}, mayWrite+"=300000")
	if len(ids) < 10 {
		t.Fatalf("%d short ids, then none", len(ids))
	}
	store := filing(t, dir)
	for _, id := range ids {
		get(t, store, id)
	}
	if more := create(t, store, content(t, "ohms")); more.Fallback {
		t.Errorf("when there is space again: %v", more.Cause)
	}
}

// With a file that cannot be written, or is not a regular file, only the short id is lost.
func TestFileUnusable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, snapshot.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	file := snapshot.NewFile(dir, nil)
	store := filing(t, dir, func(o *snapshot.Options) { o.File = file })
	if snap := create(t, store, content(t, "ohms")); !snap.Fallback || !errors.Is(snap.Cause, snapshot.ErrUnavailable) {
		t.Errorf("%+v", snap)
	} else {
		get(t, store, snap.ID)
	}
	if file.State() == nil || file.Check() == nil {
		t.Error("the file says that all is well")
	}
	if _, err := store.Get(t.Context(), "cx_"+strings.Repeat("a", 26)); !errors.Is(err, snapshot.ErrUnavailable) {
		t.Errorf("read: %v", err)
	}
	if _, err := store.Create(t.Context(), sized(20_000)); !errors.Is(err, snapshot.ErrUnavailable) || !errors.Is(err, snapshot.ErrTooLarge) {
		t.Errorf("too large to embed: %v", err)
	}
}

// If another process has the file locked for long, callers wait only for a short time.
func TestFileLocked(t *testing.T) {
	dir := t.TempDir()
	longDeadline := filing(t, dir)
	made := create(t, longDeadline, content(t, "ohms"))
	held, err := os.Open(filepath.Join(dir, snapshot.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	store := filing(t, dir, func(o *snapshot.Options) { o.Deadline = 100 * time.Millisecond })
	if snap := create(t, store, content(t, "amps")); !snap.Fallback || !errors.Is(snap.Cause, snapshot.ErrUnavailable) {
		t.Errorf("%+v", snap)
	}
	if _, err := store.Get(t.Context(), made.ID); !errors.Is(err, snapshot.ErrUnavailable) {
		t.Errorf("read: %v", err)
	}
	if err := snapshot.NewFile(dir, nil).Check(); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("check: %v", err)
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	get(t, longDeadline, made.ID)
	if snap := create(t, longDeadline, content(t, "amps")); snap.Fallback {
		t.Error(snap.Cause)
	}
}

// A full file rejects new records and keeps all stored ones. Expired records are removed to make
// space.
func TestFileFull(t *testing.T) {
	dir := t.TempDir()
	sized := func(age time.Duration) func(*snapshot.Options) {
		return func(o *snapshot.Options) {
			o.Now = at(noon.Add(age))
			o.File = snapshot.NewFile(dir, &snapshot.FileOptions{Size: 1 << 20, Now: o.Now})
		}
	}
	store := filing(t, dir, sized(0))
	var made []snapshot.Snapshot
	for i := 0; ; i++ {
		snap := create(t, store, numbered(t, i))
		if snap.Fallback {
			if !errors.Is(snap.Cause, snapshot.ErrFull) {
				t.Error(snap.Cause)
			}
			break
		}
		made = append(made, snap)
	}
	info, err := os.Stat(filepath.Join(dir, snapshot.FileName))
	if err != nil || info.Size() > 1<<20 || len(made) < 50 {
		t.Errorf("%d records in %d bytes, %v", len(made), info.Size(), err)
	}
	for _, snap := range made {
		get(t, store, snap.ID)
	}
	later := filing(t, dir, sized(snapshot.Lifetime))
	for i := range len(made) / 2 { // so that free space is fragmented
		c := numbered(t, 1000+i)
		c.CreatedAt = noon.Add(snapshot.Lifetime)
		if snap := create(t, later, c); snap.Fallback {
			t.Fatalf("%d after all has expired: %v", i, snap.Cause)
		}
	}
}

// D4: a snapshot lives for 180 days. Then it is not read any more, does not block its id, and is
// removed.
func TestFileExpiry(t *testing.T) {
	dir := t.TempDir()
	made := create(t, filing(t, dir), content(t, "ohms"))
	get(t, filing(t, dir, aged(snapshot.Lifetime-time.Millisecond)), made.ID)
	after := filing(t, dir, aged(snapshot.Lifetime))
	wantNotFound(t, after, "at 180 days", made.ID)
	c := content(t, "ohms")
	c.CreatedAt = noon.Add(snapshot.Lifetime)
	again := create(t, after, c)
	if !again.Created || again.Fallback || again.ID != made.ID || bytes.Equal(again.Body, made.Body) {
		t.Errorf("created again: %+v", again)
	}
	for i := range 200 {
		create(t, filing(t, dir), numbered(t, i))
	}
	count := func() int {
		c, err := snapshot.NewFile(dir, nil).Copy(filepath.Join(t.TempDir(), "copy"))
		if err != nil {
			t.Fatal(err)
		}
		return c.Records
	}
	if n := count(); n != 201 {
		t.Errorf("%d records", n)
	}
	amps := content(t, "amps")
	amps.CreatedAt = noon.Add(time.Hour)
	create(t, filing(t, dir, aged(snapshot.Lifetime)), amps)
	if n := count(); n >= 201 || n <= 2 {
		t.Errorf("%d records after one was created: some expired ones must be removed with it", n)
	}
	if err := snapshot.NewFile(dir, &snapshot.FileOptions{Now: at(noon.Add(snapshot.Lifetime))}).Check(); err != nil {
		t.Error(err)
	}
	if n := count(); n != 2 {
		t.Errorf("%d records after a start, want the 2 that live", n)
	}
	get(t, filing(t, dir, aged(snapshot.Lifetime)), again.ID)
}
