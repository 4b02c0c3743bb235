package batch

import (
	"bytes"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// job is a chunk and everything that a worker needs to answer it.
type job struct {
	Chunk
	text    string                   // of the rows, as a string that requests may refer to
	tasks   []task                   // one for each row
	groups  []group                  // the tasks to compute, by release
	places  map[*catalog.Release]int // index of each release in groups
	scanner strictjson.Scanner
	values  valueArena
	form    form  // of the last row of JSON that was resolved
	alike   alike // of rows of a table

	first uint64 // rows of the batch before this job
	next  int    // index of the next task to be answered
	out   []byte // answers that are not written yet
	tally Tally  // counts of those answers

	held int64 // bytes of the memory budget that the job occupies

	previous <-chan struct{} // closed when everything before this job is written
	written  chan struct{}   // closed when this job is written
}

// task is a row with a resolved request.
type task struct {
	id           string
	presets      *calc.Presets
	conversions  []value.Conversion
	problem      *problem.Problem // nil if the row is to be computed
	group, index int              // position of the row in groups, and in the group
}

// group holds the rows of a job that one release computes.
type group struct {
	engine  *calc.Engine
	rows    []value.Values
	results []response.Result // of the rows computed so far, which are the first ones
}

// jobPool reuses the memory of jobs.
var jobPool = sync.Pool{New: func() any { return &job{places: map[*catalog.Release]int{}} }}

func newJob() *job { return jobPool.Get().(*job) }

// recycle clears the job and returns it to the pool, unless its output buffer has grown
// too large to be worth keeping. References are cleared so that the collector can free
// what they point to.
func (j *job) recycle() {
	clear(j.rows)
	clear(j.tasks)
	clear(j.places)
	for i := range j.groups {
		g := &j.groups[i]
		clear(g.rows)
		*g = group{rows: g.rows[:0]}
	}
	j.values.reset()
	j.form.forget()
	j.alike.forget()
	*j = job{
		Chunk: Chunk{text: j.Chunk.text[:0], rows: j.rows[:0]}, tasks: j.tasks[:0], groups: j.groups[:0], places: j.places,
		scanner: j.scanner, values: j.values, form: j.form, alike: j.alike, out: j.out[:0],
	}
	if cap(j.out) <= 2*maxBuffered {
		jobPool.Put(j)
	}
}

// rowText returns the text of a row.
func (j *job) rowText(i int) string {
	from := 0
	if i > 0 {
		from = j.rows[i-1].end
	}
	return j.text[from:j.rows[i].end]
}

// Estimates of the memory of rows until their answers are written, in bytes. They
// include the inputs, the messages to and from the engine, and the answer.
const (
	memoryPerRow   = 2 << 10
	memoryPerValue = 160
	memoryPerByte  = 8 // for each byte of the rows' text
)

// memory estimates the memory needed to answer the rows, in bytes. Lists and records need
// the most for their length. Every value in them follows a comma or a colon, so counting
// these characters limits the number of values without scanning.
func (j *job) memory() int64 {
	values := bytes.Count(j.Chunk.text, comma) + bytes.Count(j.Chunk.text, colon) + j.inLists
	return int64(memoryPerRow*len(j.rows) + memoryPerValue*values + memoryPerByte*len(j.Chunk.text))
}

var comma, colon = []byte{','}, []byte{':'}

// join appends the rows of a later chunk, and takes over its memory.
func (j *job) join(later *job) {
	j.held += later.held
	from := len(j.Chunk.text)
	j.Chunk.text = append(j.Chunk.text, later.Chunk.text...)
	for _, r := range later.rows {
		r.end += from
		j.rows = append(j.rows, r)
	}
}

// group returns the index of the release's group, and adds the group if it is new.
func (j *job) group(from *calc.Publication, r *catalog.Release) int {
	place, known := j.places[r]
	if known {
		return place
	}
	place = len(j.groups)
	j.places[r] = place
	if place < cap(j.groups) {
		j.groups = j.groups[:place+1] // reuses the memory of an earlier group
	} else {
		j.groups = append(j.groups, group{})
	}
	j.groups[place].engine = from.Engine(r)
	return place
}

// valueArena provides memory for the values of many rows, in slabs that are reused.
type valueArena struct {
	slabs []value.Values
	next  int          // index of the next slab to use
	free  value.Values // unused rest of the current slab
}

// slabValues is the minimum number of values in a slab.
const slabValues = 4096

// Values returns memory for n values.
func (a *valueArena) Values(n int) value.Values {
	for n > len(a.free) {
		if a.next == len(a.slabs) {
			a.slabs = append(a.slabs, make(value.Values, max(n, slabValues)))
		}
		a.free = a.slabs[a.next]
		a.next++
	}
	taken := a.free[:n:n]
	a.free = a.free[n:]
	return taken
}

// reset makes all memory available again. Values allocated before must not be used.
func (a *valueArena) reset() { a.next, a.free = 0, nil }
