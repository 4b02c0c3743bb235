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

// bombMark is the start of the mode of a calculation that answers with a bomb. The text up to the
// next mark is the kind of the bomb.
const bombMark = "bomb:"

// Sizes of bombs: an answer to one row, and one to many.
const (
	oneBomb  = 400 << 10
	rowsBomb = 15 << 20
)

// frameBatchOutcome is a kind of frame on the stream, see engine.proto.
const frameBatchOutcome = 6

// arm puts a proxy between the SDK and the server's end of the stream, once. The proxy replaces
// answers that have a mark. It is called while the SDK computes.
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

// pass copies the bytes from the server.
func pass(from, to int) error {
	b := make([]byte, 64<<10)
	for {
		n, err := unix.Read(from, b)
		if err == nil && n == 0 {
			os.Exit(0) // the server has ended
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

// replace copies answers, or sends bombs in their place.
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

// bombFor returns the bomb to send in place of an honest answer, nil to send the answer.
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

// repeat repeats a piece up to the size.
func repeat(piece string) bomb {
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

// deep returns nested messages. The innermost message is empty.
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

// concat appends one piece to another.
func concat(first string, then bomb) bomb {
	return func(size int) []byte { return append([]byte(first), then(size)...) }
}

const (
	note    = "\x0a\x00" // in a Values, a Texts and others: an empty part
	groups  = "\x0b"     // the start of a group
	foreign = "\x78\x01" // a field that no message has
)

// truths are list items that an engine may answer.
var truths = repeat("\x0a\x02\x18\x01")

// columns are the columns before the column with the bomb.
func columns(n int) string { return strings.Repeat("\x12\x02\x22\x00", n) }

// bombs replace an Outcome.
var bombs = map[string]bomb{
	"results":     in(2, repeat("\x0a\x00")),
	"inputs":      in(2, repeat("\x12\x00")),
	"assumptions": in(2, repeat("\x22\x00")),
	"warnings":    in(2, repeat("\x2a\x00")),
	"texts":       in(2, in(4, repeat("x"))),
	"formulas":    in(2, repeat("\x1a\x01x")),
	"answers":     repeat("\x12\x00"),
	"list":        in(2, concat("\x0a\x00\x0a\x00\x0a\x00\x0a\x00\x0a\x00", in(1, in(5, truths)))),
	"absent":      in(2, concat("\x0a\x00\x0a\x00\x0a\x00\x0a\x00\x0a\x00", in(1, in(5, repeat(note))))),
	"lists":       in(2, concat("\x0a\x00\x0a\x00\x0a\x00\x0a\x00\x0a\x00", in(1, repeat("\x2a\x00")))),
	"record":      in(2, in(1, in(6, repeat(note)))),
	"deep":        in(2, in(1, deep(5, 1))),
	"groups":      repeat(groups),
	"foreign":     repeat(foreign),
	"rejection":   in(3, repeat("\x2a\x00")),
	"rejections":  repeat("\x1a\x00"),
	"failure":     in(4, repeat("x")),
}

// rowBombs replace a BatchOutcome.
var rowBombs = map[string]bomb{
	"results":     repeat("\x12\x00"),
	"inputs":      repeat("\x1a\x00"),
	"assumptions": in(5, repeat("\x12\x00")),
	"warnings":    in(5, repeat("\x1a\x00")),
	"texts":       in(5, in(2, repeat("x"))),
	"formulas":    in(4, in(2, repeat("\x0a\x01x"))),
	"answers":     repeat("\x2a\x00"),
	"list":        concat(columns(5), in(2, in(4, in(5, truths)))),
	"absent":      in(2, in(3, repeat(note))),
	"lists":       concat(columns(5), in(2, in(3, repeat("\x0a\x02\x2a\x00")))),
	"record":      in(2, in(4, in(6, repeat(note)))),
	"deep":        in(2, in(4, deep(5, 1))),
	"groups":      repeat(groups),
	"foreign":     repeat(foreign),
	"rejection":   in(6, in(2, repeat("\x2a\x00"))),
	"rejections":  repeat("\x32\x02\x12\x00"),
	"failure":     in(7, repeat("x")),
	"faults":      repeat("\x32\x00"),
	"dictionary":  in(2, in(2, repeat(note))),
	"indexes":     in(2, in(2, in(2, repeat("\x00")))),
	"numbers":     in(2, in(1, repeat("\x00"))),
	"columns":     in(2, repeat("\x22\x00")),
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
