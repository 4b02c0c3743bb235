package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/platform/fetch"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/preset"
)

// Limits on responses of a server.
const (
	maxServed   = 16 << 20 // bytes of one answer
	maxPages    = 1000     // of its capabilities
	maxVersions = 20_000
	servedTime  = 5 * time.Minute
	together    = 8 // requests at the same time
)

// IsServer reports whether an address is the URL of a server, and not a registry. A server sends the
// Specs, digests and lifecycles of its releases, but not their engines.
func IsServer(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// served reads the capabilities and tables of a server. The releases that Wanted does not name have no Spec and no
// digest, and a Problem instead.
func (p *Place) served(ctx context.Context) ([]registry.Capability, error) {
	ctx, cancel := context.WithTimeout(ctx, servedTime)
	defer cancel()
	s := &server{place: p, base: strings.TrimRight(p.Registry, "/")}
	list, err := s.capabilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the server %s: %w", p.Registry, err)
	}
	return list, nil
}

type server struct {
	place *Place
	base  string
}

// get reads the JSON answer to a request.
func (s *server) get(ctx context.Context, path string, into any) error {
	data, err := fetch.Get(ctx, s.base+path, &fetch.Options{Limit: maxServed, Authentic: !s.place.Remote.PlainHTTP})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s%s is not an answer of a slipstick server: %w", s.base, path, err)
	}
	return nil
}

var errNotRead = errors.New("it was not read from the server")

func (s *server) capabilities(ctx context.Context) (list []registry.Capability, err error) {
	calculations, err := s.calculations(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range calculations {
		published := registry.Capability{ID: c.ID, Current: c.Current}
		if c.Tool != "" {
			published.Tools = []string{c.Tool}
		}
		for _, v := range c.Versions {
			published.Releases = append(published.Releases, &registry.Release{
				Capability: c.ID, Version: v.Version, EngineDigest: v.EngineDigest, Spec: sdk.Spec{Capability: c.ID, Version: v.Version, Tool: c.Tool},
				Lifecycle: evidence.Lifecycle{State: v.State, Reason: v.Reason, Sunset: v.Sunset, Successor: v.Successor}, Problem: errNotRead,
			})
		}
		list = append(list, published)
	}
	var tables catalog.TableListing
	if err := s.get(ctx, "/api/v1/tables", &tables); err != nil {
		return nil, err
	}
	for _, t := range tables.Tables {
		published := registry.Capability{ID: t.ID, Current: t.Current}
		for _, v := range t.Versions {
			r := &registry.Release{
				Capability: t.ID, Version: v.Version, Digest: v.Digest, Spec: sdk.Spec{Capability: t.ID, Version: v.Version, Title: t.Title, Summary: t.Summary},
				Table: new(preset.Table), Engines: map[string]string{}, Lifecycle: evidence.Lifecycle{State: v.State, Reason: v.Reason},
			}
			if v.Digest == "" {
				r.Problem = errors.New("the server cannot serve it now")
			}
			published.Releases = append(published.Releases, r)
		}
		list = append(list, published)
	}
	slices.SortFunc(list, func(a, b registry.Capability) int { return strings.Compare(a.ID, b.ID) })
	return list, s.complete(ctx, list)
}

// calculations reads the list of the capabilities that compute.
func (s *server) calculations(ctx context.Context) (all []catalog.Summary, err error) {
	cursor, versions := "", 0
	for range maxPages {
		var page catalog.Listing
		path := "/api/v1/capabilities"
		if cursor != "" {
			path += "?" + url.Values{"cursor": {cursor}}.Encode()
		}
		if err := s.get(ctx, path, &page); err != nil {
			return nil, err
		}
		for _, c := range page.Capabilities {
			versions += len(c.Versions)
		}
		if versions > maxVersions {
			return nil, fmt.Errorf("it has more than %d versions", maxVersions)
		}
		all = append(all, page.Capabilities...)
		if page.Next == "" {
			return all, nil
		}
		next, err := url.Parse(page.Next) // a proxy can have another address, so only the cursor counts
		if err != nil {
			return nil, err
		}
		cursor = next.Query().Get("cursor")
		if cursor == "" {
			return nil, errors.New("the next page of its capabilities has no cursor")
		}
	}
	return nil, fmt.Errorf("its capabilities have more than %d pages", maxPages)
}

// complete reads the Specs and digests of the wanted releases, and of the calculations that they use.
func (s *server) complete(ctx context.Context, list []registry.Capability) error {
	wanted := s.wanted(list)
	known := map[*registry.Release]bool{}
	for len(wanted) > 0 {
		for _, r := range wanted {
			known[r] = true
		}
		if err := s.readAll(ctx, wanted); err != nil {
			return err
		}
		var used []*registry.Release
		for _, r := range wanted {
			for u := range catalog.AllUses(r) {
				if other := find(list, u.ID, u.Version); other != nil && other.Table == nil && !known[other] {
					known[other] = true
					used = append(used, other)
				}
			}
		}
		wanted = used
	}
	return nil
}

// wanted returns the releases to read. A name without a version means the current version.
func (s *server) wanted(list []registry.Capability) (all []*registry.Release) {
	for _, c := range list {
		for _, r := range c.Releases {
			named := s.place.Wanted == nil || slices.ContainsFunc(s.place.Wanted, func(name string) bool {
				id, version, _ := strings.Cut(name, "@")
				return (id == c.ID || slices.Contains(c.Tools, id)) && cmp.Or(version, c.Current) == r.Version
			})
			if named && r.Table == nil {
				all = append(all, r)
			}
		}
	}
	return all
}

func find(list []registry.Capability, id, version string) *registry.Release {
	for _, c := range list {
		for _, r := range c.Releases {
			if c.ID == id && r.Version == version {
				return r
			}
		}
	}
	return nil
}

// readAll reads releases, several at the same time.
func (s *server) readAll(ctx context.Context, releases []*registry.Release) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	slots := make(chan struct{}, together)
	for _, r := range releases {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if err := s.read(ctx, r); err != nil {
				cancel(fmt.Errorf("%s %s: %w", r.Capability, r.Version, err))
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// read completes a release. A release that the server does not run now keeps a Problem.
func (s *server) read(ctx context.Context, r *registry.Release) error {
	if r.EngineDigest == "" {
		r.Problem = errors.New("the server cannot run it now")
		return nil
	}
	path, pin := "/api/v1/capabilities/"+url.PathEscape(r.Capability), "?"+url.Values{"calculation_version": {r.Version}}.Encode()
	var description struct {
		Version      string          `json:"calculation_version"`
		EngineDigest string          `json:"engine_digest"`
		Spec         json.RawMessage `json:"spec"`
	}
	if err := s.get(ctx, path+pin, &description); err != nil {
		return err
	}
	var proof catalog.EvidenceDocument
	if err := s.get(ctx, path+"/evidence"+pin, &proof); err != nil {
		return err
	}
	spec, err := document.ReadSpec(description.Spec)
	if err != nil {
		return fmt.Errorf("its Spec: %w", err)
	}
	switch {
	case spec.Capability != r.Capability || spec.Version != r.Version || description.Version != r.Version || proof.Version != r.Version:
		return fmt.Errorf("the server answers with %s %s", spec.Capability, spec.Version)
	case description.EngineDigest != proof.EngineDigest || description.EngineDigest != r.EngineDigest:
		return fmt.Errorf("the server names two engines, %s and %s", description.EngineDigest, proof.EngineDigest)
	case proof.ReleaseDigest == "" || len(proof.EngineDigests) == 0:
		return errors.New("the server names no digest")
	}
	r.Spec, r.Digest, r.Engines, r.Problem = *spec, proof.ReleaseDigest, proof.EngineDigests, nil
	r.Platforms = slices.Sorted(maps.Keys(r.Engines))
	r.Verification, r.Lifecycle = proof.Verification, proof.Lifecycle
	return nil
}
