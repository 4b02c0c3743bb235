package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// bombMark begins the mode of a calculation whose answer is to be a bomb: what follows,
// up to the next mark, is its kind.
const bombMark = "bomb:"

// Sizes of bombs: an answer to one row, and one to many.
const (
	oneBomb  = 400 << 10
	rowsBomb = 15 << 20
)

// frameBatchOutcome is a kind of frame on the lane, see engine.proto.
const frameBatchOutcome = 6

// arm puts a proxy between the SDK and the host's end of the lane, once: answers that
// have a mark are replaced on their way. It is called while the SDK computes.
var arm = sync.OnceFunc(func() {
	lane, err := strconv.Atoi(os.Getenv("SLIPSTICK_LANE"))
	if err != nil {
		return // every call comes by gRPC
	}
	host, err := unix.Dup(lane)
	must(err)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(err)
	must(unix.Dup3(pair[0], lane, 0))
	unix.Close(pair[0])
	go func() { _ = pass(host, pair[1]) }()
	go func() { _ = replace(pair[1], host) }()
})

// pass copies what the host sends.
func pass(from, to int) error {
	b := make([]byte, 64<<10)
	for {
		n, err := unix.Read(from, b)
		if err == nil && n == 0 {
			os.Exit(0) // the host is gone
		}
		if err == nil {
			err = send(to, b[:n])
		}
		if err != nil && err != unix.EINTR {
			return err
		}
	}
}

func send(to int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(to, b)
		if err != nil && err != unix.EINTR {
			return err
		}
		b = b[max(0, n):]
	}
	return nil
}

// replace copies answers, or bombs in their place.
func replace(from, to int) error {
	in := os.NewFile(uintptr(from), "sdk")
	header := make([]byte, 5)
	for {
		if err := readFull(in, header); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(header)-1)
		if err := readFull(in, body); err != nil {
			return err
		}
		if b := bombFor(header[4], body); b != nil {
			binary.BigEndian.PutUint32(header, uint32(len(b)+1))
			body = b
		}
		if err := send(to, append(header[:5:5], body...)); err != nil {
			return err
		}
	}
}

func readFull(f *os.File, b []byte) error {
	for len(b) > 0 {
		n, err := f.Read(b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// bombFor returns what to answer in the place of an honest answer, nil for that itself.
func bombFor(frame byte, body []byte) []byte {
	_, after, marked := bytes.Cut(body, []byte(bombMark))
	kind, _, ends := bytes.Cut(after, []byte(bombMark))
	if !marked || !ends || body[0] != 8 {
		return nil
	}
	build, size := bombs[string(kind)], oneBomb
	if frame == frameBatchOutcome {
		build, size = rowBombs[string(kind)], rowsBomb
	}
	_, n := binary.Uvarint(body[1:])
	if build == nil || n <= 0 {
		return nil
	}
	return append(bytes.Clone(body[:1+n]), build(size)...)
}

// bomb makes about size bytes of a message after its id.
type bomb func(size int) []byte

// again repeats a piece up to the size.
func again(piece string) bomb {
	return func(size int) []byte { return bytes.Repeat([]byte(piece), size/len(piece)) }
}

// in puts a message into a field.
func in(field byte, inner bomb) bomb {
	return func(size int) []byte {
		b := inner(size)
		return append(head(field, len(b)), b...)
	}
}

// head is the tag and length of a field of n bytes.
func head(field byte, n int) []byte { return binary.AppendUvarint([]byte{field<<3 | 2}, uint64(n)) }

// deep puts an empty message into the field of one in the field of one and so on.
func deep(fields ...byte) bomb {
	return func(size int) []byte {
		sizes := []int{0} // of the messages, from within
		for i := range min(size, 64<<10) / 8 {
			sizes = append(sizes, sizes[i]+len(head(1, sizes[i])))
		}
		var b []byte
		for i := len(sizes) - 1; i > 0; i-- {
			b = append(b, head(fields[i%len(fields)], sizes[i-1])...)
		}
		return b
	}
}

// after puts one thing behind another.
func after(first string, then bomb) bomb {
	return func(size int) []byte { return append([]byte(first), then(size)...) }
}

const (
	note    = "\x0a\x00" // in a Values, a Texts and others: an empty part
	groups  = "\x0b"     // the start of a group
	foreign = "\x78\x01" // a field that no message has
)

// truths are items of a list that an engine may well answer.
var truths = again("\x0a\x02\x18\x01")

// columns are those before the one that bombs.
func columns(n int) string { return strings.Repeat("\x12\x02\x22\x00", n) }

// bombs are in the place of an Outcome.
var bombs = map[string]bomb{
	"results":     in(2, again("\x0a\x00")),
	"inputs":      in(2, again("\x12\x00")),
	"assumptions": in(2, again("\x22\x00")),
	"warnings":    in(2, again("\x2a\x00")),
	"texts":       in(2, in(4, again("x"))),
	"formulas":    in(2, again("\x1a\x01x")),
	"answers":     again("\x12\x00"),
	"list":        in(2, after("\x0a\x00\x0a\x00\x0a\x00\x0a\x00\x0a\x00", in(1, in(5, truths)))),
	"absent":      in(2, after("\x0a\x00\x0a\x00\x0a\x00\x0a\x00\x0a\x00", in(1, in(5, again(note))))),
	"lists":       in(2, after("\x0a\x00\x0a\x00\x0a\x00\x0a\x00\x0a\x00", in(1, again("\x2a\x00")))),
	"record":      in(2, in(1, in(6, again(note)))),
	"deep":        in(2, in(1, deep(5, 1))),
	"groups":      again(groups),
	"foreign":     again(foreign),
	"rejection":   in(3, again("\x2a\x00")),
	"rejections":  again("\x1a\x00"),
	"failure":     in(4, again("x")),
}

// rowBombs are in the place of a BatchOutcome.
var rowBombs = map[string]bomb{
	"results":     again("\x12\x00"),
	"inputs":      again("\x1a\x00"),
	"assumptions": in(5, again("\x12\x00")),
	"warnings":    in(5, again("\x1a\x00")),
	"texts":       in(5, in(2, again("x"))),
	"formulas":    in(4, in(2, again("\x0a\x01x"))),
	"answers":     again("\x2a\x00"),
	"list":        after(columns(5), in(2, in(4, in(5, truths)))),
	"absent":      in(2, in(3, again(note))),
	"lists":       after(columns(5), in(2, in(3, again("\x0a\x02\x2a\x00")))),
	"record":      in(2, in(4, in(6, again(note)))),
	"deep":        in(2, in(4, deep(5, 1))),
	"groups":      again(groups),
	"foreign":     again(foreign),
	"rejection":   in(6, in(2, again("\x2a\x00"))),
	"rejections":  again("\x32\x02\x12\x00"),
	"failure":     in(7, again("x")),
	"faults":      again("\x32\x00"),
	"dictionary":  in(2, in(2, again(note))),
	"indexes":     in(2, in(2, in(2, again("\x00")))),
	"numbers":     in(2, in(1, again("\x00"))),
	"columns":     in(2, again("\x22\x00")),
}

// swell makes a bomb of an honest outcome, as far as the SDK sends it by gRPC.
func swell(kind string, o sdk.Outcome) (sdk.Outcome, error) {
	const n = 100_000
	long := strings.Repeat("x", oneBomb)
	switch kind {
	case "results":
		o.Result = make(value.Values, n)
	case "inputs":
		o.Inputs = make(value.Values, n)
	case "assumptions":
		o.Assumptions = make([]string, n)
	case "warnings":
		o.Warnings = make([]sdk.Warning, n)
	case "texts":
		o.Assumptions = []string{long}
	case "formulas":
		o.Formula = long
	case "list":
		o.Result[5] = value.ListOf(slices.Repeat([]value.Value{value.BoolOf(true)}, n)...)
	case "absent":
		o.Result[5] = value.ListOf(make([]value.Value, n)...)
	case "lists":
		o.Result[5] = value.ListOf(slices.Repeat([]value.Value{value.ListOf()}, n)...)
	case "record":
		o.Result[0] = value.RecordOf(make([]value.Value, n)...)
	case "deep":
		for range 1000 {
			o.Result[5] = value.ListOf(o.Result[5])
		}
	case "rejection":
		return o, &sdk.Error{Code: sdk.CodeConflictingInputs, Invalid: make([]sdk.InvalidParameter, n)}
	case "failure":
		return o, errors.New(long)
	}
	return o, nil
}
