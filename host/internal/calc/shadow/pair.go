package shadow

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Limits of the queue of one candidate. Calculations beyond them are dropped.
const (
	maxWaiting = 1024     // calculations
	maxBytes   = 1 << 20  // of their inputs and outcomes
	maxOne     = 64 << 10 // of one calculation
	maxRows    = 256      // that the candidate computes in one call
)

// pair is a candidate and the release that it is compared with.
type pair struct {
	shadow      *Shadow
	candidate   *catalog.Release
	current     *catalog.Release
	declaration evidence.Shadow
	below       uint64 // upper bound of the hashes of compared inputs, unless all are compared
	inputs      *compare.Inputs
	comparer    *compare.Comparer
	ctx         context.Context
	end         context.CancelFunc
	started     time.Time
	queue       chan calculation
	bytes       atomic.Int64 // size of the queue
	busy        atomic.Uint64
	large       atomic.Uint64
	withoutMem  atomic.Uint64

	mu    sync.Mutex
	tally tally
}

// calculation is an encoded calculation in the queue. It has its own memory.
type calculation []byte

func (s *Shadow) newPair(candidate, current *catalog.Release) *pair {
	p := &pair{
		shadow: s, candidate: candidate, current: current, declaration: *candidate.Shadow,
		below:  uint64(min(candidate.Shadow.Sample*math.Exp2(64), math.Nextafter(math.Exp2(64), 0))),
		inputs: compare.NewInputs(&current.Spec, &candidate.Spec), comparer: compare.New(&current.Spec, &candidate.Spec),
		started: s.options.Now(), queue: make(chan calculation, maxWaiting), tally: newTally(),
	}
	p.ctx, p.end = context.WithCancel(s.ctx)
	return p
}

func (p *pair) compares(candidate, current *catalog.Release) bool {
	return p.candidate.Digest == candidate.Digest && p.current.Digest == current.Digest && p.declaration == *candidate.Shadow
}

// texts reuses buffers for calculations.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// Answered implements [calc.Watch]. All servers sample the same inputs. Answered does not wait.
func (p *pair) Answered(inputs value.Values, o record.Outcome) {
	if p.ctx.Err() != nil || !p.declaration.At(p.shadow.options.Now()) {
		return
	}
	buffer := texts.Get().(*[]byte)
	defer texts.Put(buffer)
	text, end := record.AppendCalculation((*buffer)[:0], inputs, o)
	*buffer = text
	if p.declaration.Sample < 1 {
		if sum := sha256.Sum256(text[:end]); binary.BigEndian.Uint64(sum[:]) >= p.below {
			return
		}
	}
	switch size := int64(len(text)); {
	case size > maxOne:
		p.large.Add(1)
	case p.bytes.Load()+size > maxBytes:
		p.busy.Add(1)
	default:
		select {
		case p.queue <- calculation(append([]byte(nil), text...)):
			p.bytes.Add(size)
		default:
			p.busy.Add(1)
		}
	}
}

// work compares the calculations in the queue until the comparison ends. It drops all that remain.
func (p *pair) work() {
	for {
		select {
		case <-p.ctx.Done():
			for {
				select {
				case <-p.queue:
					p.busy.Add(1)
				default:
					return
				}
			}
		case first := <-p.queue:
			p.compare(p.take(first))
		}
	}
}

// take takes more calculations from the queue.
func (p *pair) take(first calculation) []calculation {
	list := []calculation{first}
	for len(list) < maxRows {
		select {
		case next := <-p.queue:
			list = append(list, next)
		default:
			return list
		}
	}
	return list
}

// compare sends calculations to the candidate, and counts the outcomes.
func (p *pair) compare(list []calculation) {
	defer func() {
		if fault := recover(); fault != nil {
			p.shadow.options.Log.Error("the comparison with a shadow candidate failed", "capability", p.candidate.Capability, "version", p.candidate.Version, "panic", fault, "stack", string(debug.Stack()))
			p.count(func(t *tally) { t.fail(len(list), fmt.Errorf("panic: %v", fault)) })
		}
	}()
	var asked []answered
	var rows []value.Values
	for _, text := range list {
		p.bytes.Add(-int64(len(text)))
		a, err := p.read(text)
		if err != nil {
			panic(err) // this package has encoded it
		}
		carried, obstacle := p.inputs.Carry(a.inputs)
		if obstacle != nil {
			p.count(func(t *tally) { t.obstruct(*obstacle) })
			continue
		}
		asked, rows = append(asked, a), append(rows, carried)
	}
	switch {
	case len(rows) == 0:
		return
	case !p.shadow.engines.Used(p.candidate) && p.shadow.options.Short():
		p.withoutMem.Add(uint64(len(rows)))
		return
	}
	outcomes, err := p.shadow.service.RecomputeAll(p.ctx, p.candidate, rows)
	if err != nil {
		return // the comparison has ended
	}
	for i, now := range outcomes {
		a := &asked[i]
		if now.Err != nil {
			p.count(func(t *tally) { t.fail(1, now.Err) })
			continue
		}
		c := p.comparer.Compare(&a.outcome, &now.Outcome)
		p.count(func(t *tally) { t.compare(c, func() json.RawMessage { return p.shown(a.inputs) }) })
	}
}

// answered is an answer of the current release.
type answered struct {
	inputs  value.Values
	outcome record.Outcome
}

func (p *pair) read(text calculation) (a answered, err error) {
	a.inputs, a.outcome, err = record.ParseCalculation(text)
	return a, err
}

// shown returns inputs as JSON of a request, or nil if they must not be kept.
func (p *pair) shown(inputs value.Values) json.RawMessage {
	if !p.shadow.options.Inputs {
		return nil
	}
	return response.AppendRecord(nil, p.current.Spec.Inputs, inputs)
}

func (p *pair) count(f func(*tally)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.tally)
}
