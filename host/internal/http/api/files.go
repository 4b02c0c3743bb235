package api

import (
	"context"
	"errors"
	"io"
	"net/netip"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// openSheet reads the header of a table. It reads a file with typed columns when enough memory is free. The
// batch releases the memory and the disk space when it ends.
func (s *server) openSheet(ctx context.Context, in *reading, b *batchRequest, t *transfer, client netip.Prefix) (*table.Sheet, error) {
	limits := &s.options.Batches
	if limits.Until != nil {
		defer context.AfterFunc(limits.Until, t.interrupt)()
	}
	source := io.Reader(t)
	if b.rows == table.Parquet {
		spool := &spooled{from: t, budget: limits.Spool, client: client}
		in.held = append(in.held, func() { spool.budget.Release(client, spool.held) })
		source = spool
	}
	writer := int64(0)
	if formats[b.media].IsColumns() {
		writer = columns.WriterMemory
	}
	held := int64(0)
	in.held = append(in.held, func() { limits.Files.Release(client, held) })
	b.table.Acquire = func(bytes int64) error {
		if held == 0 {
			bytes += writer
		}
		err := s.acquireFiles(ctx, client, held, bytes)
		if err == nil {
			held += bytes
		}
		return err
	}
	sheet, err := table.Open(s.service.CatalogFor(b.pins), b.rows, b.id, b.pins, source, &b.table)
	if e, ok := errors.AsType[*table.SpoolError](err); ok {
		p := noCapacity("the server cannot store the file while it computes")
		p.Cause = e
		return nil, p
	}
	if err != nil {
		return nil, ofParameter(err)
	}
	in.held = append(in.held, func() { _ = sheet.Close() }) // it was only read
	if writer > 0 && held == 0 {                            // for rows in a text format
		err = b.table.Acquire(0)
	}
	return sheet, err
}

// acquireFiles acquires memory for reading a file and writing its answers. A file that holds no memory waits
// until some is free. A file that already holds memory does not wait, because two such files would wait for
// each other forever.
func (s *server) acquireFiles(ctx context.Context, client netip.Prefix, held, bytes int64) error {
	files := s.options.Batches.Files
	switch most := files.Share(); {
	case files == nil:
		return nil
	case held+bytes > most:
		return problem.New(problem.CodePayloadTooLarge, "Write the file with smaller pages or record batches, or send the columns of inputs alone.",
			"reading the file and writing its answers takes more than %d MiB at once", most>>20)
	case held == 0:
		_, err := files.Acquire(ctx, client, bytes)
		return err
	case !files.TryAcquire(client, bytes):
		return problem.Overloaded("Try again when other batches have ended, or write the file with smaller record batches.", "the files of running batches use all the memory for files")
	}
	return nil
}

func noCapacity(what string) *problem.Problem {
	return problem.Overloaded("Try again when other batches have ended, or send Arrow or CSV, which are not kept.", "%s", what)
}

// spooled is a file that is copied to the disk. Its bytes count against the disk budget of its client.
type spooled struct {
	from   io.Reader
	budget *limit.Budget
	client netip.Prefix
	held   int64
	read   int64
}

// spoolChunk is the number of bytes of disk space that spooled acquires at a time.
const spoolChunk = 1 << 20

func (s *spooled) Read(p []byte) (int, error) {
	if s.budget == nil {
		return s.from.Read(p)
	}
	if s.read == s.held {
		switch most := s.budget.Share(); {
		case s.held+spoolChunk > most:
			return 0, problem.New(problem.CodePayloadTooLarge, "Send the rows in several files, or as Arrow or CSV, which may have any length.",
				"the file has more than %d MiB", s.held>>20)
		case !s.budget.TryAcquire(s.client, spoolChunk):
			return 0, noCapacity("the files of current batches take all the space")
		}
		s.held += spoolChunk
	}
	n, err := s.from.Read(p[:min(int64(len(p)), s.held-s.read)])
	s.read += int64(n)
	return n, err
}
