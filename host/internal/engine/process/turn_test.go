//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/contract"
	"github.com/slipstick/slipstick/sdk/wire/socket"
)

// player answers frames over a real socket in a random order, with small and large bodies,
// some of them in pieces.
type player struct {
	conn *os.File
	rand *rand.Rand
}

// play answers until the stream ends or the number of frames is reached; then it closes the
// connection.
func (p *player) play(frames int) {
	defer p.conn.Close()
	in := bufio.NewReader(p.conn)
	var held []uint64 // calls that are not answered yet
	for range frames {
		id, err := readID(in)
		if err != nil {
			return
		}
		held = append(held, id)
		for len(held) > 0 && (p.rand.IntN(3) > 0 || in.Buffered() == 0) {
			k := p.rand.IntN(len(held))
			if p.answer(held[k]) != nil {
				return
			}
			held[k] = held[len(held)-1]
			held = held[:len(held)-1]
		}
	}
}

func readID(in *bufio.Reader) (uint64, error) {
	_, size, err := contract.ReadHeader(in)
	if err != nil {
		return 0, err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(in, body); err != nil {
		return 0, err
	}
	return contract.DecodeID(body)
}

// answer sends an answer whose bytes all depend on the id.
func (p *player) answer(id uint64) error {
	size := []int{0, 10, 1000, freeMessage, freeMessage + 1, 3 * contract.ReadBuffer}[p.rand.IntN(6)]
	if p.rand.IntN(4) > 0 {
		size = 10
	}
	frame := contract.AppendFrame(nil, contract.FrameOutcome, func(b []byte) []byte {
		b = contract.AppendID(b, id)
		for range size {
			b = append(b, byte(id))
		}
		return b
	})
	for len(frame) > 0 {
		n := len(frame)
		if p.rand.IntN(4) == 0 {
			n = 1 + p.rand.IntN(n)
		}
		if _, err := p.conn.Write(frame[:n]); err != nil {
			return err
		}
		frame = frame[n:]
	}
	return nil
}

// Every call gets its own answer, or an error that fits, no matter which goroutine reads. A caller
// who leaves gets the error of its context. A call may be moved to gRPC while the stream seems
// blocked. The end of the stream ends all calls. The watchdog checks all the time.
func TestTurnsOfManyCallers(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 14))
		callers, calls := 1+random.IntN(5), 1+random.IntN(30)
		ends := random.IntN(3) == 0 // within the calls
		ours, theirs, err := socket.Pair()
		if err != nil {
			t.Fatal(err)
		}
		runs := silent
		if random.IntN(2) == 0 {
			runs = func(context.Context) error { return nil }
		}
		s := newStream(ours, newAnswers(benchSpec()), func() { t.Error("the engine broke the contract") }, runs)
		frames := callers * calls
		if ends {
			frames = random.IntN(frames)
		} else {
			frames += callers // never reached
		}
		engine := &player{conn: theirs, rand: rand.New(rand.NewPCG(seed, 15))}
		var played, asked sync.WaitGroup
		played.Go(func() { engine.play(frames) })
		for k := range callers {
			random := rand.New(rand.NewPCG(seed, uint64(k)+100))
			asked.Go(func() {
				for range calls {
					askRandomly(t, s, random, ends)
				}
			})
		}
		over := make(chan struct{})
		played.Go(func() { checkAlways(s, over) })
		asked.Wait()
		close(over)
		s.close()
		theirs.Close()
		played.Wait()
		if share := s.answers.share; !share.messages.bytes.TryAcquire(share.messages.size) {
			t.Fatalf("seed %d: memory is missing", seed)
		}
	}
}

func checkAlways(s *stream, over <-chan struct{}) {
	for pause := time.NewTicker(20 * time.Microsecond); ; {
		select {
		case <-over:
			pause.Stop()
			return
		case now := <-pause.C:
			s.check(now)
		}
	}
}

// askRandomly makes one call, from which the caller may leave, and checks its answer.
func askRandomly(t *testing.T, s *stream, random *rand.Rand, ends bool) {
	ctx := t.Context()
	leaves := random.IntN(8) == 0
	if leaves {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(100))*time.Microsecond)
		defer cancel()
	}
	var id uint64
	body, err := s.ask(ctx, 0, contract.MaxAnswer, contract.FrameCall, contract.FrameOutcome, func(b []byte, n uint64) []byte {
		id = n
		return contract.AppendID(b, n)
	})
	if err != nil {
		if !errors.Is(err, errSlow) && (!errors.Is(err, ErrLost) || !ends && ctx.Err() == nil) {
			t.Errorf("error %v", err)
		}
		return
	}
	defer s.releaseBody(body)
	head := contract.AppendID(nil, id)
	for k, b := range body.bytes {
		want := byte(id)
		if k < len(head) {
			want = head[k]
		}
		if b != want {
			t.Fatalf("call %d has another answer: %d at %d of %d", id, b, k, len(body.bytes))
		}
	}
}
