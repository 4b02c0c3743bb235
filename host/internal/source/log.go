package source

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/fetch"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/remote"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/transparency"
)

// synced returns the registry in its directory, or the mirror of a remote registry after it was
// synchronized.
func (p *Place) synced(ctx context.Context) (*registry.Registry, error) {
	if remote.IsAddress(p.Registry) {
		remoteRegistry, err := p.remote(false)
		if err != nil {
			return nil, err
		}
		if _, err := remoteRegistry.Sync(ctx); err != nil {
			return nil, err
		}
		return remoteRegistry.Mirror(), nil
	}
	return Directory(p.Registry, p.Trust)
}

// ReadLog reads the transparency log of the registry. It does not verify the signatures.
func (p *Place) ReadLog(ctx context.Context) (*transparency.Log, error) {
	reg, err := p.synced(ctx)
	if err != nil {
		return nil, err
	}
	l, err := reg.Log(nil)
	if err == nil && l == nil {
		err = registry.ErrNoLog
	}
	return l, err
}

// UpdateLog adds new entries to the transparency log; see [registry.Registry.UpdateLog].
func (p *Place) UpdateLog(ctx context.Context, o *registry.Options, u *registry.LogUpdate) (l *transparency.Log, added int, err error) {
	l, err = p.editLog(ctx, o, func(reg *registry.Registry) (l *transparency.Log, err error) {
		l, added, err = reg.UpdateLog(ctx, u)
		return l, err
	})
	return l, added, err
}

// Witness cosigns the checkpoint of the log; see [registry.Registry.Cosign]. The log must continue seen,
// the last checkpoint of the witness, if that is not nil. Before Witness signs, it calls remember to
// store the new checkpoint.
func (p *Place) Witness(ctx context.Context, by *sign.Signer, seen *transparency.Checkpoint, remember func(*transparency.Checkpoint) error) (*transparency.Log, error) {
	o, err := p.Trust.options(registry.WithoutEngines)
	if err != nil {
		return nil, err
	}
	return p.editLog(ctx, o, func(reg *registry.Registry) (*transparency.Log, error) {
		return reg.Cosign(ctx, by, func(l *transparency.Log) error {
			if seen != nil {
				if err := l.Continues(seen); err != nil {
					return err
				}
			}
			return remember(l.Checkpoint())
		})
	})
}

// editLog calls edit on the registry, and publishes the log that edit returns.
func (p *Place) editLog(ctx context.Context, o *registry.Options, edit func(*registry.Registry) (*transparency.Log, error)) (*transparency.Log, error) {
	if remote.IsAddress(p.Registry) {
		remoteRegistry, err := p.remote(false)
		if err != nil {
			return nil, err
		}
		return remoteRegistry.EditLog(ctx, o, edit)
	}
	if err := mustExist(p.Registry); err != nil {
		return nil, err
	}
	reg, err := registry.Open(p.Registry, o)
	if err != nil {
		return nil, err
	}
	return edit(reg)
}

// Head is a checkpoint that this user or another party has seen.
type Head struct {
	Name       string // the file or URL from which it was read
	Checkpoint *transparency.Checkpoint
	Own        bool // this user saw it before; otherwise another party received it

	Err error // why the log contradicts it or cannot be compared with it; set by CheckLog
}

// ReadHead reads a checkpoint that another party received, from a file or a server.
func ReadHead(ctx context.Context, at string) (Head, error) {
	url := at
	data, err := []byte(nil), error(nil)
	if strings.HasPrefix(at, "http://") || strings.HasPrefix(at, "https://") {
		if strings.Count(at, "/") == 2 {
			url += transparency.WellKnown
		}
		data, err = fetch.Get(ctx, url, &fetch.Options{Limit: transparency.MaxCheckpoint})
	} else {
		data, err = os.ReadFile(at)
	}
	if err != nil {
		return Head{}, err
	}
	c, err := transparency.ParseCheckpoint(data)
	if err != nil {
		return Head{}, fmt.Errorf("%s: %w", url, err)
	}
	return Head{Name: at, Checkpoint: &c}, nil
}

// CheckLog compares the log of the registry with the heads, and sets their Err. It returns an error if
// the log itself is not accepted.
func (p *Place) CheckLog(ctx context.Context, heads []Head) (Judged, error) {
	reg, err := p.synced(ctx)
	if err != nil {
		return Judged{}, err
	}
	g, err := newGuard(reg, "", p.Trust, slog.New(slog.DiscardHandler))
	if err != nil {
		return Judged{}, err
	}
	if err := g.renew(time.Time{}); err != nil {
		return Judged{}, err
	}
	if g.tree == nil {
		return Judged{}, registry.ErrNoLog
	}
	for i := range heads {
		h := &heads[i]
		if h.Own {
			h.Err = g.tree.Continues(h.Checkpoint)
		} else {
			h.Err = g.tree.Agrees(h.Checkpoint)
		}
	}
	return Judged{g.tree.Checkpoint(), g.by}, g.expired()
}
