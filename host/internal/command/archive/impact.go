package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/versions"
)

// Impact has the options of slipstick impact.
type Impact struct {
	New    string
	Over   []string
	FailOn []string
	HTML   string

	ReadOnly []string
	RecomputeFlags
}

// Run reports the stored results that another version would change.
func (c *Impact) Run(ctx context.Context, s command.Streams) error {
	var conditions []replay.Condition
	for _, text := range c.FailOn {
		condition, err := replay.ParseCondition(text)
		if err != nil {
			return command.Misuse(fmt.Errorf("--fail-on %s: %w", text, err))
		}
		conditions = append(conditions, condition)
	}
	from, err := c.stored()
	if err != nil {
		return err
	}
	catalog, service, running, err := c.start(ctx, s)
	if err != nil {
		return err
	}
	defer running.Close()
	with, err := c.find(ctx, catalog, running)
	if err != nil {
		return err
	}
	show, end := terminal.Replaying(s.Err)
	effect, err := replay.Impact(ctx, catalog, service, with, c.Over, &replay.Options{
		Stored: from, Progress: show,
		Replace: func(ctx context.Context, r *registry.Release) (*registry.Release, error) {
			e, err := publish.Replaced(ctx, r, &with.Spec, catalog.KnownTable, process.Options{Confiner: running.Sandbox().Confiner()})
			if err != nil {
				return nil, err
			}
			return unpublished(e), nil
		},
	})
	end()
	if err != nil {
		return err
	}
	err = c.write(s, effect, func(w io.Writer) error { return terminal.Effect(w, effect) }, func(w io.Writer) error { return effect.WriteJUnit(w, conditions) })
	if err != nil {
		return err
	}
	if c.HTML != "" {
		if err := writeFile(c.HTML, func(w io.Writer) error { return trust.WriteImpact(w, effect) }); err != nil {
			return err
		}
	}
	for _, condition := range conditions {
		if wrong := condition.In(effect); wrong != "" {
			return command.Refused(fmt.Errorf("--fail-on %s: %s", condition, wrong))
		}
	}
	for _, one := range effect.All() {
		if one.Why != "" {
			continue // the report has the reason, and the author of the dependent decides
		}
		if err := notWhole(one.Report); err != nil {
			return err
		}
	}
	return nil
}

// unpublished returns the release of an engine.
func unpublished(e *publish.Unpublished) *registry.Release {
	return registry.Unpublished(e.Spec, e.Digest, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(e.Bytes)), nil })
}

// find returns the release that the command line names.
func (c *Impact) find(ctx context.Context, published *catalog.Catalog, running *pool.Pool) (*registry.Release, error) {
	if info, err := os.Stat(c.New); err == nil && (info.Mode().IsRegular() || build.IsProgram(c.New)) {
		e, err := publish.Describe(ctx, c.New, process.Options{Confiner: running.Sandbox().Confiner(), ReadOnly: c.ReadOnly})
		if err != nil {
			return nil, err
		}
		return unpublished(e), nil
	}
	id, version, pinned := strings.Cut(c.New, "@")
	if strings.ContainsAny(id, `/\`) {
		return nil, command.Misuse(fmt.Errorf("there is no executable, and no directory of a program, %s", c.New))
	}
	var pins []versions.Pin
	if pinned {
		pins = []versions.Pin{{Place: versions.InCommand, Name: c.New, Value: version}}
	}
	_, release, err := published.Release(id, pins)
	if err != nil {
		return nil, problem.Of(err)
	}
	return release, nil
}
