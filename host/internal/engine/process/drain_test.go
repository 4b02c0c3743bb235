package process

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
)

func TestPace(t *testing.T) {
	p := throttle{rate: 1000}
	now := time.Unix(1, 0)
	for _, tt := range []struct {
		after time.Duration
		n     int
		want  time.Duration
	}{
		{0, drainBurst, 0},
		{0, 2000, 2 * time.Second},
		{2 * time.Second, drainLeast, drainLeast * time.Millisecond},
		{drainLeast * time.Millisecond, 1, drainLeast * time.Millisecond}, // small pieces count as larger ones
		{24 * time.Hour, 3000, 0},
		{24 * time.Hour, drainBurst + 1000, time.Second},
	} {
		now = now.Add(tt.after)
		if got := p.pause(tt.n, now).Round(time.Millisecond); got != tt.want {
			t.Errorf("after %v, %d bytes: %v, want %v", tt.after, tt.n, got, tt.want)
		}
	}
}

func TestDrain(t *testing.T) {
	var seen tail
	d := newDrain(io.NopCloser(io.MultiReader(strings.NewReader("one\n"), strings.NewReader("{two"))), &printed{tail: &seen})
	if n, err := d.Read(make([]byte, 10)); n != 0 || !errors.Is(err, io.EOF) || seen.text() != "one\n{two" {
		t.Errorf("%d, %v, saw %q", n, err, seen.text())
	}
}

func TestRefuseBroker(t *testing.T) {
	var opened []string
	open := func(_ context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, method string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
		opened = append(opened, method)
		return nil, nil
	}
	for _, method := range []string{brokerStream, "/plugin.GRPCStdio/StreamStdio"} {
		if _, err := refuseBroker(t.Context(), nil, nil, method, open); (err == nil) != (method != brokerStream) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if len(opened) != 1 || opened[0] == brokerStream {
		t.Errorf("opened %v", opened)
	}
}
