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

// brought returns the registry in its directory, or the mirror after a look at the registry at
// its address.
func (p *Place) brought(ctx context.Context) (*registry.Registry, error) {
	if remote.IsAddress(p.Registry) {
		there, err := p.remote(false)
		if err != nil {
			return nil, err
		}
		if _, err := there.Sync(ctx); err != nil {
			return nil, err
		}
		return there.Mirror(), nil
	}
	return Directory(p.Registry, p.Trust)
}

// ReadLog reads the log of the registry. It does not ask who signed it.
func (p *Place) ReadLog(ctx context.Context) (*transparency.Log, error) {
	reg, err := p.brought(ctx)
	if err != nil {
		return nil, err
	}
	l, err := reg.Log(nil)
	if err == nil && l == nil {
		err = registry.ErrNoLog
	}
	return l, err
}

// UpdateLog brings the log of the registry up to date, see [registry.Registry.UpdateLog].
func (p *Place) UpdateLog(ctx context.Context, o *registry.Options, u *registry.LogUpdate) (l *transparency.Log, added int, err error) {
	l, err = p.editLog(ctx, o, func(reg *registry.Registry) (l *transparency.Log, err error) {
		l, added, err = reg.UpdateLog(ctx, u)
		return l, err
	})
	return l, added, err
}

// Witness cosigns the checkpoint of the log, see [registry.Registry.Cosign]. The log must
// continue the checkpoint that the witness has seen last, if that is not nil; remember stores
// the new one before it is signed.
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

func (p *Place) editLog(ctx context.Context, o *registry.Options, edit func(*registry.Registry) (*transparency.Log, error)) (*transparency.Log, error) {
	if remote.IsAddress(p.Registry) {
		there, err := p.remote(false)
		if err != nil {
			return nil, err
		}
		return there.EditLog(ctx, o, edit)
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

// Head is a checkpoint that was seen, by us or by somebody else.
type Head struct {
	Name       string // where it was read
	Checkpoint *transparency.Checkpoint
	Own        bool // we saw it before; otherwise somebody else was shown it

	Err error // why the log does not agree with it, or cannot be compared
}

// ReadHead reads the checkpoint that another party was shown, in a file or from a server.
func ReadHead(ctx context.Context, at string) (Head, error) {
	address := at
	data, err := []byte(nil), error(nil)
	if strings.HasPrefix(at, "http://") || strings.HasPrefix(at, "https://") {
		if strings.Count(at, "/") == 2 {
			address += transparency.WellKnown
		}
		data, err = fetch.Get(ctx, address, &fetch.Options{Limit: transparency.MaxCheckpoint})
	} else {
		data, err = os.ReadFile(at)
	}
	if err != nil {
		return Head{}, err
	}
	c, err := transparency.ParseCheckpoint(data)
	if err != nil {
		return Head{}, fmt.Errorf("%s: %w", address, err)
	}
	return Head{Name: at, Checkpoint: &c}, nil
}

// CheckLog compares the log of the registry with the heads, and says so in them. The error is
// why the log itself is not accepted.
func (p *Place) CheckLog(ctx context.Context, heads []Head) (Judged, error) {
	reg, err := p.brought(ctx)
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
