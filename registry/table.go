package registry

import (
	"encoding/json"
	"errors"
	"fmt"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/conformance/tables"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/versions"
)

// A release of a table has the Spec of the table as its config and its rows as its only layer.
// It has no engine, and needs no report: every reader reads and checks the whole table.

// nameTable returns the part of a Spec that names and describes a table.
func nameTable(t *preset.Spec) sdk.Spec {
	return sdk.Spec{Capability: t.ID, Version: t.Version, Title: t.Title, Summary: t.Summary, Changes: t.Changes}
}

// assembleTable judges a table and makes all its blobs.
func assembleTable(c *Candidate, by *sign.Signer) (*artifact, error) {
	t := c.Table
	if len(c.Engines) > 0 || c.Vectors != nil || c.Report != nil || len(c.Reports) > 0 {
		return nil, errors.New("a table has neither an engine nor a report: leave them out")
	}
	version, err := versions.Parse(t.Version)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(&t.Spec)
	if err != nil {
		return nil, fmt.Errorf("write the description as JSON: %w", err)
	}
	reread, err := preset.Parse(config, t.CSV()) // exactly the content that readers will have
	if err != nil {
		return nil, err
	}
	if err := tables.Judge(reread).Err(); err != nil {
		return nil, err
	}
	a := &artifact{engines: map[string]string{}, mayBeCurrent: version.Prerelease() == ""}
	rows := a.add(store.BlobOf(mediatype.Rows, reread.CSV()))
	a.addManifest(c, a.add(store.BlobOf(mediatype.Table, config)), []v1.Descriptor{rows})
	if by != nil {
		err = a.attach(sign.Release, c, nil, by)
	}
	return a, errors.Join(err, a.checkSizes())
}

// fillTable reads the table of a release.
func (l *layout) fillTable(rel *Release, m *v1.Manifest) (err error) {
	if m.Config.MediaType != mediatype.Table {
		return fmt.Errorf("the config of the release is a %.100q, not a %s", m.Config.MediaType, mediatype.Table)
	}
	if len(m.Layers) != 1 || m.Layers[0].MediaType != mediatype.Rows {
		return fmt.Errorf("the release of a table has one layer, of the type %s: restore it from a backup", mediatype.Rows)
	}
	rel.SpecJSON, err = l.Read(m.Config, store.MaxJSON)
	if err != nil {
		return err
	}
	rows, err := l.Read(m.Layers[0], store.MaxJSON)
	if err != nil {
		return err
	}
	t, err := preset.ParsePublished(rel.SpecJSON, rows)
	if err != nil {
		return fmt.Errorf("the table of the release is not one: %w", err)
	}
	if t.ID != l.ID() || t.Version != rel.Version {
		return fmt.Errorf("this is %.200q %.100q by its description, not %s %s by its place: restore index.json from a backup", t.ID, t.Version, l.ID(), rel.Version)
	}
	rel.Table, rel.Spec, rel.Judged = t, nameTable(&t.Spec), true
	return nil
}
