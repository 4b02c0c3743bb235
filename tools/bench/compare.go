package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
)

// learn saves an answer of Slipstick for the contestants that imitate it.
func (b *bench) learn(ctx context.Context) error {
	s, err := b.contestant(ctx, slipstick)
	if err != nil {
		return err
	}
	answer, err := ask(ctx, s, fleet.Tool(0), samples[0])
	if err != nil {
		return err
	}
	b.results.AnswerBytes = len(answer)
	return os.WriteFile(b.answer, answer, 0o644)
}

// samples are the digits of the compared requests.
var samples = []string{"12345678901", "00000000000", "99999999999", "50000000001"}

// compare compares the answers of a contestant with Slipstick's, byte for byte.
func (b *bench) compare(ctx context.Context, name string, s *server.Server) error {
	for _, digits := range samples {
		want, err := ask(ctx, b.servers[slipstick], fleet.Tool(0), digits)
		if err != nil {
			return err
		}
		got, err := ask(ctx, s, fleet.Tool(0), digits)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s answers\n%s\nwhere slipstick answers\n%s", name, got, want)
		}
	}
	return nil
}

// ask requests one answer, from the given version if there is one.
func ask(ctx context.Context, s *server.Server, tool, digits string, version ...string) ([]byte, error) {
	url := s.URL + "/api/v1/calc/" + tool
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(beam.Inputs(digits)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for _, v := range version {
		req.Header.Set("Service-Spec-Version", v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("POST %s: %s: %.300s", url, resp.Status, body)
	}
	return body, err
}
