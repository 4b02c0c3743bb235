// Package rows sends many calculations in one request, to measure batches. [Make] makes the request,
// [Client.Send] sends it, and [Check] checks the answer.
package rows

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
)

// Path is the path of batches.
const Path = "/api/v1/batch"

// Make returns the body of n calculations. Every run gets different calculations.
func Make(tool string, run, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		digits := fmt.Sprintf("%04d%0*d", run%10000, beam.Digits-4, i)
		fmt.Fprintf(&b, `{"id":"%s","inputs":%s}`+"\n", tool, beam.Inputs(digits))
	}
	return b.Bytes()
}

// Client sends batches and reads the answers as they arrive. It reuses its memory to keep its
// own cost small.
type Client struct {
	http   http.Client
	answer []byte
}

// Send sends the body. It returns the answer, which is valid until the next call, with the
// status and the time from sending to the last byte.
func (c *Client) Send(ctx context.Context, url string, body []byte) (answer []byte, status int, took time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, 0, err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	began := time.Now()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, 0, err
	}
	defer resp.Body.Close()
	c.answer = c.answer[:0]
	for {
		if cap(c.answer)-len(c.answer) < 1<<20 {
			c.answer = append(make([]byte, 0, 2*cap(c.answer)+32<<20), c.answer...)
		}
		n, err := resp.Body.Read(c.answer[len(c.answer):cap(c.answer)])
		c.answer = c.answer[:len(c.answer)+n]
		if err == io.EOF {
			return c.answer, resp.StatusCode, time.Since(began), nil
		}
		if err != nil {
			return nil, 0, 0, err
		}
	}
}

// Check returns an error if the answer is not for n calculations that all succeed.
func Check(answer []byte, n int, begin string) error {
	if lines := bytes.Count(answer, []byte("\n")); lines != n {
		return fmt.Errorf("%d lines answer %d calculations; the last: %.500s", lines, n, last(answer))
	}
	for line := range bytes.Lines(answer) {
		if !bytes.HasPrefix(line, []byte(begin)) {
			return fmt.Errorf("a line is %.500s", line)
		}
	}
	return nil
}

func last(answer []byte) []byte {
	answer = bytes.TrimSuffix(answer, []byte("\n"))
	return answer[bytes.LastIndexByte(answer, '\n')+1:]
}
