// Package fetch answers one question: what does an address on the network answer? It bounds
// what the other side may send, and for small documents also for how long.
package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

const (
	patience     = 20 * time.Second
	maxRedirects = 5
)

// Options bound an answer. The zero value reads up to 1 MiB over any connection.
type Options struct {
	Limit int64 // bytes; 1 MiB if zero

	// Authentic refuses connections on which somebody else could answer: those without TLS,
	// but to this machine.
	Authentic bool
}

// Get returns the body of the answer to GET of an http or https address. An answer with another
// status than 200 is an error.
func Get(ctx context.Context, address string, o *Options) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var body bytes.Buffer
	if err := Copy(ctx, &body, address, o); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// Copy writes the body that [Get] returns, as long as the other side sends some.
func Copy(ctx context.Context, to io.Writer, address string, o *Options) error {
	if o == nil {
		o = new(Options)
	}
	limit := o.Limit
	if limit == 0 {
		limit = 1 << 20
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err == nil {
		err = o.allow(request.URL)
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", address, err)
	}
	request.Header.Set("Accept", "application/json, */*;q=0.5")
	client := http.Client{CheckRedirect: func(next *http.Request, former []*http.Request) error {
		if len(former) > maxRedirects {
			return errors.New("it redirects again and again")
		}
		return o.allow(next.URL)
	}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("fetch: %w", err) // names the address
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("fetch %s: it answers %s", address, response.Status)
	}
	n, err := io.Copy(to, io.LimitReader(response.Body, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("it has more than the %d bytes that are read", limit)
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", address, err)
	}
	return nil
}

func (o *Options) allow(to *url.URL) error {
	switch {
	case to.Scheme != "https" && to.Scheme != "http" || to.Host == "":
		return errors.New("it is no address of http or https")
	case o.Authentic && to.Scheme != "https" && !isHere(to.Hostname()):
		return errors.New("without TLS anybody on the way could answer: use https, or a file that came another way")
	}
	return nil
}

func isHere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
