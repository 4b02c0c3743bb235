package record

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/slipstick/slipstick/sdk/value"
)

// view is a record for readers. Values stand in the order of the Spec, and numbers are the
// shortest decimals that read back as the same bits.
type view struct {
	Kind       string            `json:"kind"`
	Time       time.Time         `json:"time"`
	Request    string            `json:"request,omitempty"`
	Row        uint64            `json:"row,omitempty"`
	Cached     bool              `json:"cached,omitempty"`
	Capability string            `json:"capability,omitempty"`
	Version    string            `json:"version,omitempty"`
	Release    string            `json:"release_digest,omitempty"`
	Engine     string            `json:"engine_digest,omitempty"`
	Platform   string            `json:"platform,omitempty"`
	Inputs     []json.RawMessage `json:"inputs,omitempty"`
	InputsHash string            `json:"inputs_hash,omitempty"`
	Result     []json.RawMessage `json:"result,omitempty"`
	Code       string            `json:"code,omitempty"`
	Field      string            `json:"field,omitempty"`
	Rows       uint64            `json:"rows,omitempty"`
	Releases   []string          `json:"releases,omitempty"` // CAPABILITY@VERSION and digest
	Text       string            `json:"rows_digest,omitempty"`
	Outcomes   string            `json:"outcomes_digest,omitempty"`
	Count      uint64            `json:"lost,omitempty"`
	Since      time.Time         `json:"since,omitzero"`
}

// MarshalJSON implements [json.Marshaler].
func (r *Record) MarshalJSON() ([]byte, error) {
	v := view{
		Kind: r.Kind.String(), Time: r.Time, Request: r.Request, Row: r.Row, Cached: r.Kept,
		Inputs: texts(r.Inputs), InputsHash: hex.EncodeToString(r.Hash), Result: texts(r.Outcome.Result), Code: r.Outcome.Code, Field: r.Outcome.Field,
		Rows: r.Rows, Count: r.Count, Since: r.Since,
	}
	if r.Release != nil {
		v.Capability, v.Version, v.Release, v.Engine, v.Platform = r.Release.Capability, r.Release.Version, r.Release.Digest, r.Release.Engine, r.Release.Platform
	}
	for _, release := range r.Releases {
		v.Releases = append(v.Releases, release.Capability+"@"+release.Version+" "+release.Digest)
	}
	if r.Kind == Batch {
		v.Text, v.Outcomes = digestPrefix+hex.EncodeToString(r.Text[:]), digestPrefix+hex.EncodeToString(r.Outcomes[:])
	}
	return json.Marshal(v)
}

func texts(values value.Values) (list []json.RawMessage) {
	for _, v := range values {
		list = append(list, appendJSON(nil, v))
	}
	return list
}

func appendJSON(b []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Number:
		return v.AppendNumber(b)
	case value.Exact:
		return append(b, v.Text()...)
	case value.Bool:
		if v.Bool() {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case value.Text:
		text, _ := json.Marshal(v.Text()) // a text always marshals
		return append(b, text...)
	case value.List, value.Record:
		b = append(b, '[')
		for i, item := range v.Items() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	}
	return append(b, "null"...)
}
