package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/study"
)

// structured is the first revision of the protocol with structured content.
const structured = "2025-06-18"

// readsStructured reports whether the client of the request knows structured content. Clients of older revisions
// read only the text of a result, so their text is the whole answer.
func readsStructured(req *protocol.CallToolRequest) bool {
	params := req.Session.InitializeParams()
	return params != nil && params.ProtocolVersion >= structured
}

// result returns the JSON object as structured content. The text is a summary of it, or the same object if summarize
// is nil.
func result(body []byte, summarize func(body []byte) string, failed bool) *protocol.CallToolResult {
	if n := len(body); n > 0 && body[n-1] == '\n' {
		body = body[:n-1]
	}
	text := ""
	if summarize != nil {
		text = summarize(body)
	}
	return &protocol.CallToolResult{
		Content:           []protocol.Content{&protocol.TextContent{Text: cmp.Or(text, string(body))}},
		StructuredContent: json.RawMessage(body),
		IsError:           failed,
	}
}

// summaryOf returns a function that decodes an answer and returns the lines of it. If the answer cannot be decoded,
// there is no summary.
func summaryOf[T any](lines func(*T) []string) func(body []byte) string {
	return func(body []byte) string {
		var answer T
		if err := json.Unmarshal(body, &answer); err != nil {
			return ""
		}
		return strings.Join(lines(&answer), "\n")
	}
}

// searchLines has a line for each hit.
func searchLines(found *searchResult) (lines []string) {
	for i := range found.Capabilities {
		h := &found.Capabilities[i]
		line := fmt.Sprintf("%s %s: %s", h.ID, h.Current, h.Title)
		if names := fieldNames(h.Inputs, true); names != "" {
			line += ". Needs " + names
		}
		lines = append(lines, line)
	}
	switch {
	case found.Suggestion != "":
		lines = append(lines, "Nothing was found. "+found.Suggestion)
	case found.NextCursor != "":
		lines = append(lines, fmt.Sprintf("%d of %d; next_cursor %s", len(found.Capabilities), found.Total, found.NextCursor))
	}
	return lines
}

// fieldNames returns the names of the required or optional fields with their units.
func fieldNames(fields []field, required bool) string {
	var names []string
	for _, f := range fields {
		if f.Required == required {
			names = append(names, strings.TrimSpace(f.Name+" "+f.Unit))
		}
	}
	return strings.Join(names, "; ")
}

// describeLines names the inputs.
func describeLines(d *outline) []string {
	lines := []string{fmt.Sprintf("%s %s (%s): %s", d.ID, d.Version, d.Tier, d.Title)}
	for _, part := range []struct {
		label    string
		required bool
	}{{"needs: ", true}, {"optional: ", false}} {
		if names := fieldNames(d.Inputs, part.required); names != "" {
			lines = append(lines, part.label+names)
		}
	}
	return lines
}

func versionLines(list *versionList) []string {
	lines := []string{fmt.Sprintf("%s: current %s", list.ID, list.Current)}
	for i := range list.Versions {
		v := &list.Versions[i]
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", v.Version, v.State, v.Tier)))
	}
	return lines
}

// calculated has the members of a success that its summary uses.
type calculated struct {
	ID           string                     `json:"capability_id"`
	Version      string                     `json:"calculation_version"`
	Detail       struct{ Formatted string } `json:"result_detail"`
	Verification struct{ Tier string }
	Warnings     []struct{ Code, Detail string }
}

func calculationLines(r *calculated) []string {
	lines := []string{r.Detail.Formatted, fmt.Sprintf("%s %s, %s", r.ID, r.Version, r.Verification.Tier)}
	for _, w := range r.Warnings {
		lines = append(lines, fmt.Sprintf("warning %s: %s", w.Code, w.Detail))
	}
	return lines
}

// recorded has the members of a snapshot that its summary uses.
type recorded struct {
	Snapshot string          `json:"id"`
	Expires  string          `json:"expires_at"`
	Result   json.RawMessage `json:"result"`
	Links    map[string]string
}

func snapshotLines(r *recorded) []string {
	line := "snapshot " + r.Snapshot
	if r.Expires != "" {
		line += ", expires " + r.Expires
	}
	if path := r.Links["snapshot"]; path != "" {
		line += ", at " + path
	}
	var of calculated
	if err := json.Unmarshal(r.Result, &of); err != nil || of.Detail.Formatted == "" {
		return []string{line}
	}
	return append([]string{line}, calculationLines(&of)...)
}

// maxSweepLines is how many rows of a sweep a summary has.
const maxSweepLines = 10

// studied is the result of a study. Its plan is not decoded.
type studied struct {
	study.Result
	Plan json.RawMessage `json:"plan"`
}

// studyLines has the results of a study, and the first rows of a sweep.
func studyLines(of *studied) []string {
	r := &of.Result
	lines := []string{fmt.Sprintf("%s of %s %s: %d calculations", r.Kind, r.Capability, r.Version, r.Calculations)}
	for i := range r.Rows {
		if i == maxSweepLines {
			lines = append(lines, fmt.Sprintf("%d more rows", len(r.Rows)-i))
			break
		}
		lines = append(lines, rowLine(r, &r.Rows[i]))
	}
	if g := r.Goal; g != nil && g.Output != nil && len(r.Inputs) > 0 && len(r.Outputs) > 0 {
		lines = append(lines, fmt.Sprintf("%s gives %s", amount(&r.Inputs[0], g.Input), amount(&r.Outputs[0], *g.Output)))
	}
	for i := range min(len(r.Sensitivity), len(r.Outputs)) {
		for _, e := range r.Sensitivity[i].Inputs {
			lines = append(lines, fmt.Sprintf("d %s / d %s = %v", r.Outputs[i].Name, e.Input, e.Derivative))
		}
	}
	for i := range min(len(r.Budget), len(r.Outputs)) {
		b := &r.Budget[i]
		lines = append(lines, fmt.Sprintf("%s, standard uncertainty %v, expanded %v (k = %v)", amount(&r.Outputs[i], b.Estimate), b.Standard, b.Expanded, b.Factor))
	}
	for i := range min(len(r.Drawn), len(r.Outputs)) {
		d := &r.Drawn[i]
		lines = append(lines, fmt.Sprintf("%s, standard uncertainty %v, interval %v to %v", amount(&r.Outputs[i], d.Mean), d.Standard, d.Symmetric.Low, d.Symmetric.High))
	}
	for _, t := range r.Rejected {
		lines = append(lines, fmt.Sprintf("%d rejected: %s", t.Count, t.Code))
	}
	for _, t := range r.Warnings {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("warning %s: %s", t.Code, t.Detail)))
	}
	return lines
}

// rowLine returns a point of a sweep or comparison.
func rowLine(r *study.Result, row *study.Row) string {
	var parts []string
	for i := range min(len(row.At), len(r.Inputs)) {
		parts = append(parts, amount(&r.Inputs[i], string(row.At[i])))
	}
	line := strings.Join(parts, ", ") + ": " + row.Code
	parts = nil
	for i := range min(len(row.Result), len(r.Outputs)) {
		part := amount(&r.Outputs[i], row.Result[i])
		if i < len(row.Against) {
			part += fmt.Sprintf(" against %v", row.Against[i])
		}
		parts = append(parts, part)
	}
	return line + strings.Join(parts, ", ")
}

func amount(q *study.Quantity, value any) string {
	return strings.TrimSpace(fmt.Sprintf("%s = %v %s", q.Name, value, q.Unit))
}

// failure has the members of an error that its summary uses. These are all that a correction needs.
type failure struct {
	Code, Error, Field string
	Invalid            []struct{ Name, Constraint string } `json:"invalid_parameters"`
	AcceptableIDs      []string                            `json:"acceptable_ids"`
	Versions           []string                            `json:"available_versions"`
	Pins               []struct{ Location, Value string }
}

func failureLines(f *failure) []string {
	line := f.Code
	if f.Field != "" {
		line += " at " + f.Field
	}
	lines := []string{line + ": " + f.Error}
	if len(f.Invalid) > 1 {
		for _, i := range f.Invalid {
			lines = append(lines, i.Name+": "+i.Constraint)
		}
	}
	if len(f.AcceptableIDs) > 0 {
		lines = append(lines, "acceptable_ids: "+strings.Join(f.AcceptableIDs, ", "))
	}
	if len(f.Versions) > 0 {
		lines = append(lines, "available_versions: "+strings.Join(f.Versions, ", "))
	}
	for _, pin := range f.Pins {
		lines = append(lines, pin.Location+": "+pin.Value)
	}
	return lines
}
