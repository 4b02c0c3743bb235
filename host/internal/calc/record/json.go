package record

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// View is a record for readers and for JSON. Values are in the order of the Spec. Numbers are the
// shortest decimals that are read back as the same bits. An exact decimal is an object with the member
// "decimal".
type View struct {
	Place      string            `json:"place,omitempty"` // in its ledger, where that is public: SEGMENT/LEAF
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
	RowsOf     string            `json:"rows_of,omitempty"` // capability of rows that name none
	Pins       []PinView         `json:"pins,omitempty"`    // of all rows
	Decimals   string            `json:"decimals,omitempty"`
	Tags       []string          `json:"tags,omitempty"`
	Columns    []string          `json:"columns,omitempty"`
	Releases   []string          `json:"releases,omitempty"` // CAPABILITY@VERSION and digest
	Tables     []string          `json:"tables,omitempty"`   // in the same format
	Missed     []Span            `json:"missed,omitempty"`   // rows that a limit or a failure refused, counted from 0
	Text       string            `json:"rows_digest,omitempty"`
	Outcomes   string            `json:"outcomes_digest,omitempty"`
	Count      uint64            `json:"lost,omitempty"`
	Since      time.Time         `json:"since,omitzero"`
}

// PinView is a pin for readers, as in the problem of contradictory versions.
type PinView struct {
	Location string `json:"location"`
	Value    string `json:"value"`
}

// MarshalJSON implements [json.Marshaler].
func (r *Record) MarshalJSON() ([]byte, error) { return json.Marshal(r.View()) }

// View returns the record for readers.
func (r *Record) View() View {
	v := View{
		Kind: r.Kind.String(), Time: r.Time, Request: r.Request, Row: r.Row, Cached: r.Kept,
		Inputs: texts(r.Inputs), InputsHash: hex.EncodeToString(r.Hash), Result: texts(r.Outcome.Result), Code: r.Outcome.Code, Field: r.Outcome.Field,
		Rows: r.Rows, RowsOf: r.Terms.Capability, Decimals: r.Terms.Decimals, Tags: r.Terms.Tags, Columns: r.Terms.Columns, Count: r.Count, Since: r.Since,
	}
	for _, p := range r.Terms.Pins {
		v.Pins = append(v.Pins, PinView{p.Where(), asked(p)})
	}
	if r.Release != nil {
		v.Capability, v.Version, v.Release, v.Engine, v.Platform = r.Release.Capability, r.Release.Version, r.Release.Digest, r.Release.Engine, r.Release.Platform
	}
	v.Releases, v.Tables, v.Missed = names(r.Releases), names(r.Tables), r.Missed
	if r.Kind == Batch {
		v.Text, v.Outcomes = digestPrefix+hex.EncodeToString(r.Text[:]), digestPrefix+hex.EncodeToString(r.Outcomes[:])
	}
	return v
}

func names(releases []*Release) (list []string) {
	for _, r := range releases {
		list = append(list, r.Capability+"@"+r.Version+" "+r.Digest)
	}
	return list
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
		return append(append(append(b, `{"decimal":"`...), v.Text()...), `"}`...)
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

// ReadValues reads inputs or results of a View as values of the fields of a Spec.
func ReadValues(fields []sdk.Field, list []json.RawMessage) (value.Values, error) {
	if len(list) != len(fields) {
		return nil, fmt.Errorf("there are %d values, and the release has %d", len(list), len(fields))
	}
	values := make(value.Values, len(list))
	for i := range list {
		v, err := strictjson.Parse(list[i])
		if err == nil {
			values[i], err = readValue(&fields[i], v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fields[i].Name, err)
		}
	}
	return values, nil
}

// readValue reads the encoding of appendJSON.
func readValue(f *sdk.Field, v strictjson.Value) (value.Value, error) {
	switch {
	case v.Kind == strictjson.Null:
		return value.Value{}, nil
	case v.Kind == strictjson.Object && f.Decimal:
		literal, _ := v.Member("decimal")
		if _, err := strictjson.ParseNumber(literal.Text); literal.Kind == strictjson.String && err == nil {
			return value.ExactOf(literal.Text), nil
		}
	case v.Kind == strictjson.Array && f.Items != nil:
		items := make(value.Values, len(v.Items))
		for i := range v.Items {
			var err error
			items[i], err = readValue(f.Items, v.Items[i])
			if err != nil {
				return value.Value{}, err
			}
		}
		return value.ListOf(items...), nil
	case v.Kind == strictjson.Array && len(v.Items) == len(f.Fields):
		fields := make(value.Values, len(v.Items))
		for i := range v.Items {
			var err error
			fields[i], err = readValue(&f.Fields[i], v.Items[i])
			if err != nil {
				return value.Value{}, err
			}
		}
		return value.RecordOf(fields...), nil
	case v.Kind == strictjson.Number || v.Kind == strictjson.Bool || v.Kind == strictjson.String && !f.Decimal:
		return compare.ReadValue(f, v)
	}
	return value.Value{}, fmt.Errorf("%v is not a value of the field", v.Kind)
}
