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

// stampFile is the name of a file with the timestamp of a segment's statement.
const stampFile = "%08d.stamp"

// maxStamp is the maximum size of such a file, in bytes.
const maxStamp = 64 << 10

// Stamp gets a timestamp token for a digest.
type Stamp func(ctx context.Context, digest [tlog.HashSize]byte) ([]byte, error)

// lastStamp is how long a server that ends waits for the timestamp of its last segment. If the
// timestamp is missing, the next server gets it.
const lastStamp = 2 * time.Second

// restampAfter is the time after a failure until the next attempt.
const restampAfter = time.Minute

// closed is a closed segment without a timestamp.
type closed struct {
	number uint64
	digest tlog.Hash
}

// maxUnstamped is the maximum number of segments that wait for their timestamps. A timestamp of a
// segment also covers all earlier segments, because each statement contains the digest of its
// predecessor.
const maxUnstamped = 1000

// toStamp queues a segment for its timestamp, if timestamps are enabled.
func (l *Ledger) toStamp(s closed) {
	if l.options.Stamp == nil {
		return
	}
	select {
	case l.unstamped <- s:
	default:
		l.options.Log.Warn("a segment of the ledger has no timestamp, because too many segments wait for one", "segment", s.number)
	}
}

// stamp gets timestamps for the queued segments, one after the other, until the queue is closed.
func (l *Ledger) stamp(ctx context.Context) {
	defer close(l.stamped)
	for {
		s, more := <-l.unstamped
		if !more || ctx.Err() != nil {
			return
		}
		for logged := false; ; {
			err := l.stampOne(ctx, s)
			if err == nil {
				break
			}
			if !logged && ctx.Err() == nil {
				logged = true
				l.options.Log.Warn("a segment of the ledger has no timestamp yet; the server requests one every minute", "segment", s.number, "error", err)
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

// isStamped reports whether the segment has a timestamp.
func isStamped(dir string, number uint64) bool {
	_, err := os.Stat(filepath.Join(dir, fmt.Sprintf(stampFile, number)))
	return err == nil
}

// readStamp returns the timestamp of a segment, nil if there is none.
func readStamp(dir string, number uint64) ([]byte, error) {
	path := filepath.Join(dir, fmt.Sprintf(stampFile, number))
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxStamp:
		return []byte{}, nil // not a valid timestamp
	}
	return os.ReadFile(path)
}
