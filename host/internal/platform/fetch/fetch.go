// Package fetch gets documents from URLs on the network. [Get] returns a small document within a
// time limit. [Copy] writes a document of bounded size.
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

	// Authentic refuses connections on which another machine could answer: all connections without
	// TLS, except connections to this machine.
	Authentic bool
}

// Get returns the body of the answer to a GET request of an http or https URL. A status other than
// 200 is an error.
func Get(ctx context.Context, address string, o *Options) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var body bytes.Buffer
	if err := Copy(ctx, &body, address, o); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// Copy writes the body that [Get] returns. It has no time limit while the other side sends bytes.
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
			return errors.New("it redirects too often")
		}
		return o.allow(next.URL)
	}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("fetch: %w", err) // has the URL
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
		return errors.New("it is not a URL of http or https")
	case o.Authentic && to.Scheme != "https" && !isHere(to.Hostname()):
		return errors.New("without TLS another machine on the way could answer: use https, or a file from another source")
	}
	return nil
}

func isHere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
