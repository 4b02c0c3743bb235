package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// includedNote is the annotation of the entry of a version that Include has added.
const includedNote = "vnd.slipstick.included"

// Include adds the versions of a library that are not here yet, with the statements about them. It returns
// their number. A library is a registry of another party without a remote address, such as the
// one in a package. Its later versions come with the next package.
//
// Include never removes or changes a version. A version that is here stays, even if the library has other bytes
// for it. The library's current version becomes current if it is new here and newer than the current one. An own
// version, which Include has not added, stays current. Engines for other platforms are left out.
//
// A capability of the library whose tool id belongs to another capability here is left out, and is reported as
// damage. The error is about the registry as a whole.
func (r *Registry) Include(ctx context.Context, library *Registry) (added int, damage, err error) {
	added, damage, err = r.include(ctx, library)
	if err != nil {
		err = fmt.Errorf("add the library %s to the registry %s: %w", library.store.Dir(), r.store.Dir(), err)
	}
	return added, damage, err
}

func (r *Registry) include(ctx context.Context, library *Registry) (added int, damage, err error) {
	names, err := r.newsOf(ctx, library)
	if err != nil || len(names) == 0 {
		return 0, nil, err
	}
	w, err := r.store.Lock(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer w.Close()
	if err := w.Sweep(); err != nil {
		return 0, nil, err
	}
	log, err := r.readLogFirst()
	if err != nil {
		return 0, nil, err
	}
	tools, err := r.toolOwners(ctx)
	if err != nil {
		return 0, nil, err
	}
	var faults []error
	for _, id := range names {
		n, damage, err := r.includeOne(ctx, w, library, id, tools)
		added += n
		if ctx.Err() != nil {
			return added, nil, ctx.Err()
		}
		if err := errors.Join(damage, err); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", id, err))
		}
	}
	return added, errors.Join(faults...), r.logged(ctx, w, log)
}

// newsOf returns the capabilities of a library that have something to add. It reads the indexes only.
func (r *Registry) newsOf(ctx context.Context, library *Registry) (names []string, err error) {
	all, err := library.store.Names(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range all {
		entries, err := library.Entries(ctx, id)
		own, _ := r.Entries(ctx, id) // includeOne reports the error
		if err == nil {
			var offered, here *store.Index
			offered, err = store.IndexOf(entries)
			if err == nil {
				here, err = store.IndexOf(own)
			}
			if err == nil && len(news(here, offered)) == 0 {
				continue
			}
		}
		names = append(names, id) // includeOne reports the error
	}
	return names, nil
}

// news returns the entries of a library that an index lacks: its other versions, and its statements about all
// versions that are the same.
func news(x, offered *store.Index) (list []v1.Descriptor) {
	same := map[string]bool{}
	for _, version := range offered.Versions() {
		entry, err := offered.Release(version)
		known := x.Tagged(version)
		same[version] = err == nil && (len(known) == 0 || known[0].Digest == entry.Digest)
		if err != nil || len(known) > 0 {
			continue
		}
		entry.Annotations = maps.Clone(entry.Annotations)
		entry.Annotations[includedNote] = "true"
		list = append(list, entry)
	}
	for _, d := range offered.Untagged() {
		if same[d.Annotations[v1.AnnotationVersion]] && !x.Lists(d.Digest) {
			list = append(list, d)
		}
	}
	return list
}

// toolOwners returns the capabilities here by their tool ids.
func (r *Registry) toolOwners(ctx context.Context) (map[string]string, error) {
	owners := map[string]string{}
	err := r.eachManifest(ctx, func(l *layout, _ string, m *v1.Manifest) error {
		if m.Config.MediaType == mediatype.Spec {
			_, s, err := l.spec(m, toolOf)
			if err == nil && owners[s.Tool] == "" {
				owners[s.Tool] = l.ID()
			}
		}
		return nil
	})
	return owners, err
}

// includeOne is Include for one capability.
func (r *Registry) includeOne(ctx context.Context, w *store.Writer, library *Registry, id string, tools map[string]string) (added int, damage, err error) {
	entries, err := library.Entries(ctx, id)
	if err != nil {
		return 0, nil, err
	}
	err = library.manifestsOf(id, func(l *layout, _ string, m *v1.Manifest) error {
		if m.Config.MediaType != mediatype.Spec {
			return nil
		}
		_, s, err := l.spec(m, toolOf)
		if err != nil {
			return err
		}
		if owner := tools[s.Tool]; owner != "" && owner != id {
			return fmt.Errorf("its tool id %s belongs to %s, so the library's capability is left out", s.Tool, owner)
		}
		tools[s.Tool] = id
		return nil
	})
	if err != nil {
		return 0, err, nil
	}
	l, err := r.openOrCreate(w, id)
	if err != nil {
		return 0, nil, err
	}
	defer l.Close()
	l.options = r.options.withoutExecution()
	x, err := l.Index()
	if err != nil {
		return 0, nil, err
	}
	offer := &Offer{Entries: entries, Fetch: func(_ context.Context, d v1.Descriptor) (io.ReadCloser, error) { return library.openBlob(id, d) }}
	m := &mirroring{Writer: w, registry: r, layout: l, offer: offer, was: x}
	next, err := m.include(ctx)
	if err == nil && len(next.Entries()) > len(x.Entries()) {
		err = w.Flush(l.Layout)
		if err == nil {
			err = w.Show(l.Layout, x, next)
		}
		added = len(next.Versions()) - len(x.Versions())
	} else if l.Hidden() {
		err = errors.Join(err, w.Discard(l.Layout))
	}
	return added, errors.Join(m.damage...), err
}

// openBlob opens a blob of a capability, without comparing its bytes with the digest.
func (r *Registry) openBlob(id string, d v1.Descriptor) (io.ReadCloser, error) {
	if d.MediaType == mediatype.Runtime {
		id = store.Shared
	}
	l, err := r.store.Layout(id)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.OpenBlob(d, MaxEngine)
}

// include returns the index with the news of a library.
func (m *mirroring) include(ctx context.Context) (*store.Index, error) {
	offered, err := store.IndexOf(m.offer.Entries)
	if err != nil {
		return nil, err
	}
	added, err := store.IndexOf(news(m.was, offered))
	if err != nil {
		return nil, err
	}
	next := m.was
	for _, version := range added.Versions() {
		entry, err := added.Release(version)
		if err == nil {
			next, err = m.version(ctx, next, entry, version)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.note(err, "version %s", version)
	}
	next, err = m.records(ctx, next, added)
	if err != nil {
		return nil, err
	}
	return m.includedCurrent(next, offered)
}

// includedCurrent returns x in which the library's current version is current, if that is new here and replaces no own
// version.
func (m *mirroring) includedCurrent(x, offered *store.Index) (*store.Index, error) {
	was, err := m.was.Current()
	if err != nil {
		return nil, err
	}
	want, err := offered.Current()
	if err != nil || want == "" || len(m.was.Tagged(want)) > 0 || len(x.Tagged(want)) == 0 {
		return x, err
	}
	since := offered.Promoted()
	if was != "" {
		if m.was.Tagged(was)[0].Annotations[includedNote] == "" || versions.Newest([]string{was, want})[0] == was {
			return x, nil
		}
		since = m.registry.now()
	}
	releases, err := m.layout.releases(x)
	if err != nil {
		return nil, err
	}
	rel, err := find(releases, want)
	if err != nil || !rel.Lifecycle.Serves() {
		return x, nil
	}
	return x.Pointing(want, since)
}

// toolOf reads only the tool id of a Spec.
func toolOf(data []byte) (*sdk.Spec, error) {
	var named struct{ Tool string }
	err := json.Unmarshal(data, &named)
	return &sdk.Spec{Tool: named.Tool}, err
}
