package process

import (
	"fmt"
	"net"
	"testing"

	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Whatever an engine sends on its stream, reading frames ends without a panic and keeps
// the bounds.
func FuzzFrames(f *testing.F) {
	f.Add(contract.AppendFrame(nil, contract.FrameOutcome, func(b []byte) []byte { return contract.AppendID(b, 1) }))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 2})
	f.Add([]byte{0, 0, 0, 0, 2})
	f.Add([]byte{0, 0x20, 0, 0, 2, 8, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		ours, theirs := net.Pipe()
		s := newStream(ours, newAnswers(benchSpec()), func() {}, silent)
		asked := make(chan error)
		go func() {
			body, err := s.ask(t.Context(), 0, pongNeed, contract.FramePing, contract.FramePong, func(b []byte, id uint64) []byte { return contract.AppendID(b, id) })
			if err == nil && len(body.bytes) > pongNeed {
				err = fmt.Errorf("a body of %d bytes", len(body.bytes))
				t.Error(err)
			}
			asked <- err
		}()
		if _, err := theirs.Read(make([]byte, 100)); err == nil {
			_, _ = theirs.Write(b)
		}
		theirs.Close()
		<-asked
		<-s.done
	})
}
