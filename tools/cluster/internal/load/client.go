package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// client is one client address, with its connection.
type client struct {
	load   *Load
	addr   netip.Addr
	target netip.AddrPort
	conn   *conn
}

// send sends a request, over the existing connection or a new one.
func (c *client) send(ctx context.Context, r request) (*answer, error) {
	if c.conn != nil && c.conn.closed() {
		c.leave()
	}
	if c.conn == nil {
		fresh, err := dial(ctx, c.addr, c.target, c.load.patience)
		if err != nil {
			return nil, err
		}
		c.conn = fresh
	}
	a, err := c.conn.do(r)
	if err != nil || a.last {
		c.leave()
	}
	return a, err
}

func (c *client) leave() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

const (
	jsonMedia  = "application/json"
	linesMedia = "application/x-ndjson"
	tool       = "cluster-probe"
)

// calculate requests a product from a version, or from the current one if version is empty. It returns the version
// that answered.
func (c *client) calculate(ctx context.Context, version string, x float64) (string, error) {
	body := fmt.Sprintf(`{"x":%g}`, x)
	if version != "" {
		body = fmt.Sprintf(`{"x":%g,"calculation_version":%q}`, x, version)
	}
	before := c.load.truth.state(version)
	a, err := c.send(ctx, request{http.MethodPost, "/api/v1/calc/" + tool, jsonMedia, []byte(body)})
	if err != nil {
		return "", err
	}
	after := c.load.truth.state(version)
	if a.status == http.StatusConflict && version != "" && (before != Served || after != Served) {
		c.load.book.note(func(t *Tally) { t.Changing++ })
		return version, nil
	}
	if a.status != http.StatusOK {
		return "", refused(a)
	}
	if before == Revoked {
		return "", &Failure{Kind: WrongVersion, Status: a.status, Detail: version + " is revoked and was answered"}
	}
	return c.checkSuccess(a, version, x)
}

// success is the compared part of an answer.
type success struct {
	Result  struct{ Product *float64 } `json:"result"`
	Version string                     `json:"calculation_version"`
}

func (s *success) check(version string, x float64) error {
	switch {
	case s.Result.Product == nil || *s.Result.Product != product(s.Version, x):
		return &Failure{Kind: WrongNumber, Detail: fmt.Sprintf("version %s of %g", s.Version, x)}
	case version != "" && s.Version != version:
		return &Failure{Kind: WrongVersion, Detail: fmt.Sprintf("asked for %s, got %s", version, s.Version)}
	}
	return nil
}

func (c *client) checkSuccess(a *answer, version string, x float64) (string, error) {
	var s success
	if err := json.Unmarshal(a.body, &s); err != nil {
		return "", &Failure{Kind: WrongRecord, Detail: err.Error()}
	}
	if err := s.check(version, x); err != nil {
		return "", err
	}
	if version == "" && !c.load.truth.isCurrent(s.Version) {
		return "", &Failure{Kind: WrongVersion, Detail: "without a pin " + s.Version}
	}
	return s.Version, c.load.truth.checkDigest(s.Version, a.header.Get("Slipstick-Engine-Digest"))
}

// batch requests many products from a version.
func (c *client) batch(ctx context.Context, version string, rows int) error {
	var lines bytes.Buffer
	for x := range rows {
		fmt.Fprintf(&lines, "{\"id\":%q,\"inputs\":{\"x\":%d}}\n", tool, x+1)
	}
	a, err := c.send(ctx, request{http.MethodPost, "/api/v1/batch?calculation_version=" + version, linesMedia, lines.Bytes()})
	if err != nil {
		return err
	}
	if a.status != http.StatusOK {
		return refused(a)
	}
	got := 0
	for line := range bytes.Lines(a.body) {
		var s success
		if err := json.Unmarshal(line, &s); err != nil {
			return &Failure{Kind: Cut, Detail: err.Error()}
		}
		if s.Result.Product == nil {
			return &Failure{Kind: Refused, Status: a.status, Detail: "a row of a batch: " + excerpt(line)}
		}
		got++
		if err := s.check(version, float64(got)); err != nil {
			return err
		}
	}
	if got != rows {
		return &Failure{Kind: Cut, Detail: fmt.Sprintf("%d of %d rows", got, rows)}
	}
	return nil
}

// record is a snapshot.
type record struct {
	ID      string          `json:"id"`
	Version string          `json:"calculation_version"`
	Digest  string          `json:"engine_digest"`
	Result  json.RawMessage `json:"result"`
}

// snapshot creates a snapshot and returns it.
func (c *client) snapshot(ctx context.Context, version string, x float64) (*record, error) {
	body := fmt.Sprintf(`{"tool_id":%q,"inputs":{"x":%g},"calculation_version":%q}`, tool, x, version)
	a, err := c.send(ctx, request{http.MethodPost, "/api/v1/share", jsonMedia, []byte(body)})
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusCreated && a.status != http.StatusOK {
		return nil, refused(a)
	}
	return c.checkRecord(a, version, x)
}

func (c *client) checkRecord(a *answer, version string, x float64) (*record, error) {
	var r record
	var s success
	if err := json.Unmarshal(a.body, &r); err != nil || json.Unmarshal(r.Result, &s) != nil {
		return nil, &Failure{Kind: WrongRecord, Detail: excerpt(a.body)}
	}
	if err := s.check(version, x); err != nil {
		return nil, err
	}
	return &r, c.load.truth.checkDigest(r.Version, r.Digest)
}

// isShort reports whether the store has the snapshot.
func (r *record) isShort() bool { return !strings.HasPrefix(r.ID, "cx_e1_") }

// readBack reads a snapshot.
func (c *client) readBack(ctx context.Context, r *record, version string, x float64) (unstored bool, err error) {
	removed := c.load.truth.isStoreRemoved()
	a, err := c.send(ctx, request{http.MethodGet, "/s/" + r.ID, "", nil})
	if err != nil {
		return false, err
	}
	if a.status != http.StatusOK {
		unavailable := r.isShort() && strings.Contains(string(a.body), "SNAPSHOT_STORE_UNAVAILABLE")
		switch {
		case unavailable && (removed || c.load.truth.isStoreRemoved()):
			return true, nil
		case unavailable:
			return false, &Failure{Kind: StoreLate, Status: a.status, Detail: excerpt(a.body)}
		}
		return false, refused(a)
	}
	again, err := c.checkRecord(a, version, x)
	if err == nil && (again.ID != r.ID || !bytes.Equal(again.Result, r.Result)) {
		err = &Failure{Kind: WrongRecord, Detail: "the snapshot " + r.ID + " is another one"}
	}
	return false, err
}

func refused(a *answer) error {
	return &Failure{Kind: Refused, Status: a.status, Detail: fmt.Sprintf("%d %s", a.status, excerpt(a.body))}
}

func excerpt(body []byte) string {
	const most = 300
	return strings.TrimSpace(string(body[:min(len(body), most)]))
}

// timed records the duration and outcome of a call.
func (c *client) timed(call Call, do func() (string, error)) error {
	from := time.Now()
	version, err := do()
	c.load.book.add(call, from, version, err)
	return err
}
