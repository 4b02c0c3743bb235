package about

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Snapshot is the part of a sheet that only a snapshot has.
type Snapshot struct {
	ID         string
	Address    string // public URL
	Record     string // public URL of the record
	Sum        string // SHA-256 of the record
	Expires    string // "" if it does not expire
	Live       string // path of the calculator with the same inputs, "" if there is none
	Inputs     string // as JSON
	Calculate  string // public URL that recomputes the result
	Version    string
	Recomputed bool // the engine recomputed the same result
	Published  bool // the version is still published
	Lifecycle  catalog.Lifecycle
}

// Record is the record of a snapshot, as package snapshot writes it.
type Record struct {
	ID         string          `json:"id"`
	Tool       string          `json:"tool_id"`
	Capability string          `json:"capability_id"`
	Inputs     json.RawMessage `json:"inputs"`
	Version    string          `json:"calculation_version"`
	Result     json.RawMessage `json:"result"`
	CreatedAt  time.Time       `json:"created_at"`
	Engine     string          `json:"engine_digest"`
}

// Published returns the release that computed the record, nil if this server does not have it.
func (p *Releases) Published(rec *Record) *catalog.Release {
	e, err := p.Service.Catalog().Find(rec.Capability)
	if err != nil {
		return nil
	}
	for _, r := range e.Releases {
		if r.Version == rec.Version && r.EngineDigest == rec.Engine && r.Spec.Tool != "" {
			return r
		}
	}
	return nil
}

// NewSnapshot returns the facts that only the sheet of a snapshot has.
func (p *Releases) NewSnapshot(snap *snapshot.Snapshot, rec *Record, spec *sdk.Spec, inputs strictjson.Value, v *address.View) *Snapshot {
	sum := sha256.Sum256(snap.Body)
	f := &Snapshot{
		ID: rec.ID, Address: p.Address("/s/" + rec.ID), Record: p.Address("/api/v1/share/" + rec.ID), Sum: hex.EncodeToString(sum[:]),
		Inputs: string(rec.Inputs), Calculate: p.Address("/api/v1/calc/" + rec.Tool), Version: rec.Version,
	}
	if !snap.ExpiresAt.IsZero() {
		f.Expires = snap.ExpiresAt.UTC().Format("2 January 2006")
	}
	if spec.Tool != "" {
		if query, ok := address.QueryOf(spec, inputs, v); ok {
			f.Live = p.Link("/calc/"+spec.Group+"/"+spec.Tool) + "?" + query
		}
	}
	return f
}
