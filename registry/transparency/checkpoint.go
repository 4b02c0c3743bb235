package transparency

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// MaxCheckpoint bounds the text of a checkpoint with its signatures, in bytes.
const MaxCheckpoint = 64 << 10

// WellKnown is the URL path at which a server shows the last checkpoint that it accepted.
const WellKnown = "/.well-known/slipstick-log"

// Checkpoint is the state of a log at one time, in one hash.
type Checkpoint struct {
	Origin string // unique name of the log
	Size   int64
	Root   tlog.Hash
	Signed time.Time // zero if it was not signed
	Until  time.Time // time of expiry; zero if it does not expire

	signatures string // lines, each with its line end
}

// Lines of a checkpoint in addition to the lines of every log.
const (
	signedLine = "signed "
	untilLine  = "until "
)

// NewOrigin returns a name for a new log.
func NewOrigin() string { return "slipstick.log/" + strings.ToLower(rand.Text()) }

// Text returns the signed text.
func (c *Checkpoint) Text() string {
	text := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root)
	if !c.Signed.IsZero() {
		text += signedLine + stamp(c.Signed) + "\n"
	}
	if !c.Until.IsZero() {
		text += untilLine + stamp(c.Until) + "\n"
	}
	return text
}

// Note returns the checkpoint with its signatures, in the form of the file next to the log.
func (c *Checkpoint) Note() []byte { return []byte(c.Text() + "\n" + c.signatures) }

// ParseCheckpoint reads a checkpoint. It does not check signatures.
func ParseCheckpoint(data []byte) (c Checkpoint, err error) {
	if len(data) > MaxCheckpoint {
		return c, fmt.Errorf("the checkpoint has %d bytes, more than the %d that are read", len(data), MaxCheckpoint)
	}
	text, signatures, found := bytes.Cut(data, []byte("\n\n"))
	lines := strings.Split(string(text), "\n")
	if !found || len(lines) < 3 {
		return c, errors.New("it is not a checkpoint of a log")
	}
	c.Origin, c.signatures = lines[0], string(signatures)
	if _, err := fmt.Sscanf(lines[1], "%d", &c.Size); err != nil {
		return c, errors.New("it is not a checkpoint of a log: its second line is not a number")
	}
	c.Root, err = tlog.ParseHash(lines[2])
	if err != nil {
		return c, errors.New("it is not a checkpoint of a log: its third line is not a hash")
	}
	for _, line := range lines[3:] {
		for prefix, at := range map[string]*time.Time{signedLine: &c.Signed, untilLine: &c.Until} {
			if value, ok := strings.CutPrefix(line, prefix); ok {
				*at, err = time.Parse(time.RFC3339, value)
				if err != nil {
					return c, fmt.Errorf("the checkpoint is not well formed: %w", err)
				}
			}
		}
	}
	// There is one spelling, so that no party can show one checkpoint in two spellings.
	if c.Size < 0 || c.Size > MaxEntries || c.Origin == "" || !bytes.Equal(c.Note(), data) {
		return c, errors.New("the checkpoint is not well formed")
	}
	return c, nil
}

// Equal reports whether both are about the same entries.
func (c *Checkpoint) Equal(o *Checkpoint) bool {
	return c.Origin == o.Origin && c.Size == o.Size && c.Root == o.Root
}

// Signatures returns the lines with the signatures.
func (c *Checkpoint) Signatures() string { return c.signatures }

// With returns the checkpoint with a further signature, a line with its end.
func (c Checkpoint) With(signature string) Checkpoint {
	c.signatures += signature
	return c
}

// IsSigned reports whether the checkpoint has a signature.
func (c *Checkpoint) IsSigned() bool { return c.signatures != "" }

// ErrExpired reports a checkpoint whose time is over.
var ErrExpired = errors.New("the checkpoint of the log has expired")

// Valid returns the period for which the checkpoint counted when it was signed, or 0 if it
// does not expire.
func (c *Checkpoint) Valid() time.Duration {
	if c.Until.IsZero() || c.Signed.IsZero() {
		return 0
	}
	return c.Until.Sub(c.Signed)
}

// Expired returns an [ErrExpired] if the time of the checkpoint is over.
func (c *Checkpoint) Expired(now time.Time) error {
	if !c.Until.IsZero() && now.After(c.Until) {
		return fmt.Errorf("%w on %s: its publisher signs a newer one with slipstick log update", ErrExpired, stamp(c.Until))
	}
	return nil
}
