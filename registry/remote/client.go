package remote

import (
	"fmt"
	"net"
	"net/http"
	"time"

	oras "oras.land/oras-go/v2/registry"
	client "oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"
)

// newClient returns the HTTP client for HOST:PORT. It asks three times if a request fails
// temporarily. It gives up early on a registry that does not answer, since there is a mirror.
func newClient(host string, plain bool, o *Options) (*auth.Client, error) {
	transport := retry.NewTransport(&watched{&http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: parallel,
		ForceAttemptHTTP2:   true,
	}})
	transport.Policy = func() retry.Policy {
		return &retry.GenericPolicy{
			Retryable: retry.DefaultPredicate, Backoff: retry.DefaultBackoff,
			MinWait: 100 * time.Millisecond, MaxWait: 2 * time.Second, MaxRetry: 3,
		}
	}
	c := &auth.Client{Client: &http.Client{Transport: newGuard(transport, host, plain, o)}, Cache: auth.NewCache()}
	c.SetUserAgent("slipstick")
	switch {
	case o.Username != "" || o.Password != "":
		c.Credential = auth.StaticCredential(host, auth.Credential{Username: o.Username, Password: o.Password})
	default:
		store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
		if err != nil {
			return nil, fmt.Errorf("read the credentials that docker keeps: %w", err)
		}
		c.Credential = credentials.Credential(store)
	}
	return c, nil
}

// repository returns the repository of a capability, or of the prefix if id is "".
func (r *Registry) repository(id string) *client.Repository {
	r.mu.Lock()
	defer r.mu.Unlock()
	if repo := r.repos[id]; repo != nil {
		return repo
	}
	name := r.ref.Repository
	if id != "" {
		name += "/" + id
	}
	repo := &client.Repository{
		Client: r.client, PlainHTTP: r.plain,
		Reference:       oras.Reference{Registry: r.ref.Registry, Repository: name},
		TagListMaxPages: maxPages, ReferrerListMaxPages: maxPages, MaxMetadataBytes: maxListing,
		SkipReferrersGC: true, // many registries refuse to delete
	}
	r.repos[id] = repo
	return repo
}
