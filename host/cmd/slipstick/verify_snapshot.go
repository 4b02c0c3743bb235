package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// snapshot verifies a snapshot and the release that computed it. The error readErr is
// that of reading it.
func (c *verifyCmd) snapshot(ctx context.Context, s streams, v *verification, catalog *calc.Catalog, name string, record *snapshot.Record, readErr error) error {
	v.subject = name
	if readErr != nil {
		v.add("record", fails, "%v", readErr)
		return nil
	}
	v.add("record", holds, "%s %s, frozen on %s", record.CapabilityID, record.Version, record.CreatedAt.Format("2006-01-02"))
	keys, err := snapshot.FindKeys(filepath.Join(c.Data, "keys"), c.SnapshotKey...)
	if err != nil {
		return err
	}
	switch err := record.Check(keys); {
	case errors.Is(err, snapshot.ErrUnchecked):
		v.add("who froze it", unchecked, "%v; give its data directory with --data", err)
	default:
		v.check("who froze it", err, "one of the keys in %s", c.Data)
	}
	release := c.releaseOf(v, catalog, record)
	if release == nil {
		return nil
	}
	if c.Again {
		if err := c.recompute(ctx, s, v, catalog, release, record); err != nil {
			return err
		}
	}
	c.release(v, release)
	return nil
}

// releaseOf finds the release that computed the snapshot, nil if it is not there.
func (c *verifyCmd) releaseOf(v *verification, catalog *calc.Catalog, record *snapshot.Record) *registry.Release {
	entry, err := catalog.Find(record.CapabilityID)
	if err != nil {
		v.add("its release", fails, "%s is not published here", record.CapabilityID)
		return nil
	}
	r := releaseOf(entry.Releases, record.Version)
	if r == nil {
		v.add("its release", fails, "%s %s is not published here", record.CapabilityID, record.Version)
		return nil
	}
	for _, platform := range r.Platforms {
		if r.Engines[platform] == record.EngineDigest {
			v.add("its release", holds, "published, with the engine that computed it (%s)", platform)
			return r
		}
	}
	v.add("its release", fails, "%s was computed by the engine %s, which the release does not have", record.ID[:min(len(record.ID), 20)], record.EngineDigest)
	return r
}

// compared are the members of a result that hold its numbers. Others may change without
// the calculation: links, warnings about the version, its verification.
var compared = []string{"result", "result_detail", "inputs", "formula"}

// recompute computes the snapshot again with the engine for this platform.
func (c *verifyCmd) recompute(ctx context.Context, s streams, v *verification, catalog *calc.Catalog, r *registry.Release, record *snapshot.Record) error {
	if !r.Available() {
		v.add("computed again", unchecked, "the release must not be executed: it is %s", cause(r))
		return nil
	}
	inputs, err := strictjson.ParseObject(record.Inputs)
	if err != nil {
		return err
	}
	jailed, err := c.confinement.enter(s.err, slices.Concat(dataFiles(c.Data), c.origin.files(), c.trusting.files(), c.checkpointing.files()))
	if err != nil {
		return err
	}
	defer jailed.close()
	engines, err := newEngines(slog.New(slog.NewTextHandler(io.Discard, nil)), telemetry.NewMetrics(), new(telemetry.Tracer), jailed, false)
	if err != nil {
		return err
	}
	defer engines.pool.Close()
	answer, err := calc.New(catalog, engines, nil).Calculate(ctx, calc.Request{
		ID: record.CapabilityID, Inputs: inputs, Pins: []versions.Pin{{Place: versions.InSnapshot, Value: record.Version}},
	})
	if err != nil {
		v.add("computed again", fails, "%v", describeProblem(calc.ProblemOf(err)))
		return nil
	}
	v.check("computed again", compare(record.Result, answer.AppendJSON(nil)), "the same, bit for bit, by the engine %s", r.EngineDigest)
	return nil
}

func cause(r *registry.Release) string {
	if r.Problem != nil {
		return "refused: " + r.Problem.Error()
	}
	return standingText(r)
}

// compare says in what two results differ.
func compare(was, now []byte) error {
	var a, b map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(was, &a), json.Unmarshal(now, &b)); err != nil {
		return err
	}
	i := slices.IndexFunc(compared, func(name string) bool { return !bytes.Equal(a[name], b[name]) })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%s was frozen as %.300s, and is now %.300s", compared[i], a[compared[i]], b[compared[i]])
}
