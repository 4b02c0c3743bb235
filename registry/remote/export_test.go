package remote

import (
	"context"
	"net/http"
)

// At returns the same mirror with the registry at another URL, as if a new registry had
// replaced the first.
func (r *Registry) At(address string) (*Registry, error) {
	other, err := Open(address, r.dir+"-unused", nil)
	if err != nil {
		return nil, err
	}
	other.dir, other.mirror = r.dir, r.mirror
	return other, nil
}

// Asked returns the URL of the first request of a look, without sending it.
func (r *Registry) Asked(ctx context.Context) (url string) {
	asked := roundTripper(func(req *http.Request) (*http.Response, error) {
		url = req.URL.String()
		return nil, http.ErrServerClosed
	})
	was := r.client.Client
	r.client.Client = &http.Client{Transport: asked}
	defer func() { r.client.Client = was }()
	_, _ = r.capabilities(ctx)
	return url
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
