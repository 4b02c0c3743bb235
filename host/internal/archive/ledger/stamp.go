package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// stampFile has what somebody else said of the statement that closes the segment.
const stampFile = "%08d.stamp"

// maxStamp bounds such a file, in bytes.
const maxStamp = 64 << 10

// Stamp asks somebody else to say that a digest is there now, and returns what was said.
type Stamp func(ctx context.Context, digest [tlog.HashSize]byte) ([]byte, error)

// lastStamp is how long the end of a host waits for the stamp of its last segment. The next host asks
// for one that did not come.
const lastStamp = 2 * time.Second

// restampAfter is how long it takes until somebody is asked again who did not answer.
const restampAfter = time.Minute

// closed is a segment whose statement shall be stamped.
type closed struct {
	number uint64
	digest tlog.Hash
}

// maxUnstamped bounds the segments that wait for their stamps. The stamp of a segment is one of all
// before it, because each statement has the digest of the one before.
const maxUnstamped = 1000

// toStamp makes a segment wait for its stamp, if there shall be one.
func (l *Ledger) toStamp(s closed) {
	if l.options.Stamp == nil {
		return
	}
	select {
	case l.unstamped <- s:
	default:
		l.options.Log.Warn("a segment of the ledger gets no time stamp of its own: too many wait for theirs", "segment", s.number)
	}
}

// stamp has segments stamped, one after the other, until there are no more.
func (l *Ledger) stamp(ctx context.Context) {
	defer close(l.stamped)
	for {
		s, more := <-l.unstamped
		if !more || ctx.Err() != nil {
			return
		}
		for told := false; ; {
			err := l.stampOne(ctx, s)
			if err == nil {
				break
			}
			if !told && ctx.Err() == nil {
				told = true
				l.options.Log.Warn("a segment of the ledger has no time stamp yet; it is asked for again every minute", "segment", s.number, "error", err)
			}
			select {
			case <-time.After(l.options.restampAfter):
			case <-ctx.Done():
				return
			}
		}
	}
}

func (l *Ledger) stampOne(ctx context.Context, s closed) error {
	token, err := l.options.Stamp(ctx, s.digest)
	if err != nil {
		return err
	}
	return l.replace(fmt.Sprintf(stampFile, s.number), token)
}

// isStamped reports whether there is a stamp of the segment.
func isStamped(dir string, number uint64) bool {
	_, err := os.Stat(filepath.Join(dir, fmt.Sprintf(stampFile, number)))
	return err == nil
}

// readStamp returns the stamp of a segment, nil if there is none.
func readStamp(dir string, number uint64) ([]byte, error) {
	path := filepath.Join(dir, fmt.Sprintf(stampFile, number))
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxStamp:
		return []byte{}, nil // which is none
	}
	return os.ReadFile(path)
}
