package wrk

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

// Lone sends requests one after the other over one connection, and measures each response time. The load has one connection
// and no client addresses.
//
// wrk is not a substitute. It adds the requests that it would have sent during a long response to its percentiles, so that one
// interruption of the machine decides them.
func Lone(ctx context.Context, l Load) (Sample, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(l.URL, "http://"))
	if err != nil {
		return Sample{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	next, in := l.requests(conn.RemoteAddr().String()), bufio.NewReaderSize(conn, 64<<10)
	s := Sample{Latencies: make([]time.Duration, 0, 1<<17)}
	began := time.Now()
	for end := began.Add(l.Time); time.Now().Before(end); {
		request := next()
		sent := time.Now()
		if _, err := conn.Write(request); err != nil {
			return s, err
		}
		if err := readResponse(in); err != nil {
			return s, err
		}
		s.Latencies = append(s.Latencies, time.Since(sent))
	}
	slices.Sort(s.Latencies)
	s.Requests = float64(len(s.Latencies))
	s.Rate = s.Requests / time.Since(began).Seconds()
	s.P50, s.P99 = stats.Percentile(s.Latencies, 50), stats.Percentile(s.Latencies, 99)
	return s, nil
}

// requests returns a function for the bytes of the next request. They are valid until its next call.
func (l *Load) requests(host string) func() []byte {
	pieces := strings.Split(cmp.Or(l.Pattern, beam.Pattern), beam.Mark)
	size := len(strings.Join(pieces, "")) + (len(pieces)-1)*beam.Digits
	head := " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(size)
	if l.Gzip {
		head += "\r\nAccept-Encoding: gzip"
	}
	var request, digits []byte
	count := 0
	return func() []byte {
		at := l.Paths[0]
		if !l.Repeated {
			at = l.Paths[count%len(l.Paths)]
			count++
		}
		digits = fmt.Appendf(digits[:0], "%s%08d", runDigits(l.Run), count)
		request = append(append(append(append(request[:0], "POST "...), at...), head...), "\r\n\r\n"...)
		for i, piece := range pieces {
			if i > 0 {
				request = append(request, digits...)
			}
			request = append(request, piece...)
		}
		return request
	}
}

// readResponse reads a response, and returns an error if its status is not 200.
func readResponse(in *bufio.Reader) error {
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(resp.Body, 500))
		return errors.Join(fmt.Errorf("%s: %s", resp.Status, body), err)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
