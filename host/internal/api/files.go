package api

import (
	"context"
	"errors"
	"io"
	"net/netip"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/columns"
	"github.com/slipstick/slipstick/host/internal/conns"
	"github.com/slipstick/slipstick/host/internal/table"
)

// openSheet reads the header of a table, and waits for the memory that a file with typed columns takes. What
// is held in memory and on the disk is given back when the batch ends.
func (s *server) openSheet(ctx context.Context, in *reading, b *batch, t *transfer, client netip.Prefix) (*table.Sheet, error) {
	limits := &s.options.Batches
	if limits.Until != nil {
		defer context.AfterFunc(limits.Until, t.interrupt)()
	}
	source := io.Reader(t)
	if b.rows == table.Parquet {
		kept := &spooled{from: t, budget: limits.Spool, client: client}
		in.held = append(in.held, func() { kept.budget.Release(client, kept.held) })
		source = kept
	}
	sheet, err := table.Open(s.service.CatalogFor(b.pins), b.rows, b.id, b.pins, source, &b.table)
	if e, ok := errors.AsType[*table.SpoolError](err); ok {
		p := noRoom("the host cannot keep the file while it is computed")
		p.Cause = e
		return nil, p
	}
	if err != nil {
		return nil, ofParameter(err)
	}
	in.held = append(in.held, func() { _ = sheet.Close() }) // it was only read
	need := sheet.Memory()
	if formats[b.media].IsColumns() {
		need += columns.WriterMemory
	}
	if most := limits.Files.Share(); limits.Files != nil && need > most {
		return nil, calc.NewProblem(calc.CodePayloadTooLarge, "Write the file with smaller pages, or send the columns of inputs alone.",
			"reading the file and writing its answers takes more than %d MiB at once", most>>20)
	}
	acquired, err := limits.Files.Acquire(ctx, client, need)
	in.held = append(in.held, func() { limits.Files.Release(client, acquired) })
	return sheet, err
}

func noRoom(what string) *calc.Problem {
	return calc.Overloaded("Try again when other batches have ended, or send Arrow or CSV, which are not kept.", "%s", what)
}

// spooled is a file that is copied to the disk. Its bytes count against what its client may have there.
type spooled struct {
	from   io.Reader
	budget *conns.Budget
	client netip.Prefix
	held   int64
	read   int64
}

// spoolPiece is how much room is taken at once.
const spoolPiece = 1 << 20

func (s *spooled) Read(p []byte) (int, error) {
	if s.budget == nil {
		return s.from.Read(p)
	}
	if s.read == s.held {
		switch most := s.budget.Share(); {
		case s.held+spoolPiece > most:
			return 0, calc.NewProblem(calc.CodePayloadTooLarge, "Send the rows in several files, or as Arrow or CSV, which may have any length.",
				"the file has more than %d MiB", s.held>>20)
		case !s.budget.TryAcquire(s.client, spoolPiece):
			return 0, noRoom("the files of batches under way take all the room that there is")
		}
		s.held += spoolPiece
	}
	n, err := s.from.Read(p[:min(int64(len(p)), s.held-s.read)])
	s.read += int64(n)
	return n, err
}
