package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/sdk/request"
)

// Names of the tools. The interface specifies the name of execute_calculation (spec 1).
const (
	toolSearch   = "search_capabilities"
	toolDescribe = "describe_capability"
	toolVersions = "list_versions"
	toolExecute  = "execute_calculation"
	toolStudy    = "run_study"
	toolCreate   = "create_snapshot"
	toolSnapshot = "get_snapshot"
)

// isTool reports whether a tool has this name.
func isTool(name string) bool {
	return slices.ContainsFunc(tools, func(t tool) bool { return t.name == name })
}

// unknownTool returns an error text that lists the tools.
func unknownTool(name string) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return fmt.Sprintf("there is no tool %q. The tools are %s.", request.Clip(name), strings.Join(names, ", "))
}

// isCalculation reports whether calls of the tool count as calculations.
func isCalculation(tool string) bool {
	return tool == toolExecute || tool == toolStudy || tool == toolCreate
}

// tool is one tool: its description for agents, and the function that answers it with a JSON
// object.
type tool struct {
	name, title, description string

	changes bool  // it stores something; the other tools only read
	input   shape // shape of the arguments
	output  shape // shape of a success
	answer  func(s *Server, ctx context.Context, c *call, args arguments) ([]byte, error)
}

var tools = []tool{{
	name: toolSearch, title: "Search calculations",
	description: "Find calculations by what they are for, in plain words. Best match first.",
	input: with(members{
		"query":  text("The problem, such as: amps for a 3 kW heater. Empty lists all."),
		"domain": text("Only ids that begin so: mechanical, or mechanical.statics."),
		"limit":  {"type": "integer", "minimum": 1, "maximum": maxResults, "default": defaultResults},
		"cursor": text("next_cursor of the search before."),
	}, "query"),
	output: with(members{
		"capabilities": list(with(members{
			"capability_id": text(""), "title": text(""), "summary": text(""), "tier": text(""), "versions": list(text("")),
		}, "capability_id").object()),
		"total":       {"type": "integer"},
		"next_cursor": text(""),
	}, "capabilities", "total"),
	answer: (*Server).search,
}, {
	name: toolDescribe, title: "Describe a calculation",
	description: "What one calculation needs and answers: inputs with units, aliases and defaults, results, formula, assumptions, verification, an example.",
	input:       with(members{"capability_id": capabilityID, "calculation_version": pin, "as_of": asOf}, "capability_id"),
	output: with(members{
		"capability_id": text(""), "calculation_version": text(""), "input_schema": anyObject, "outputs": list(anyObject), "verification": anyObject,
	}, "capability_id", "calculation_version", "input_schema", "outputs", "verification"),
	answer: (*Server).describe,
}, {
	name: toolVersions, title: "List versions",
	description: "Published versions of a calculation, newest first, with changes, digests and how far each was checked.",
	input:       with(members{"capability_id": capabilityID}, "capability_id"),
	output: with(members{
		"capability_id": text(""), "current_version": text(""),
		"versions": list(with(members{"calculation_version": text(""), "available": flag, "tier": text("")}, "calculation_version").object()),
	}, "capability_id", "versions"),
	answer: (*Server).listVersions,
}, {
	name: toolExecute, title: "Calculate",
	description: "Run one calculation. Answers the result with normalized inputs, formula, assumptions, warnings and version; or an error whose code, field and suggestion say what to correct.",
	input:       with(members{"capability_id": capabilityID, "inputs": inputs, "calculation_version": pin, "as_of": asOf, "steps": steps, "units": system, "unit": list(text("delta=mm"))}, "capability_id", "inputs"),
	output: with(members{
		"capability_id": text(""), "inputs": anyObject, "result": anyObject, "result_detail": anyObject, "verification": anyObject, "calculation_version": text(""),
	}, "capability_id", "inputs", "result", "result_detail", "verification", "calculation_version"),
	answer: (*Server).execute,
}, {
	name: toolStudy, title: "Study a calculation",
	description: "Many calculations of one version: sweep inputs, compare two versions, goal_seek an input, sensitivity, uncertainty by propagation (gum) or draws (monte_carlo).",
	input: with(members{
		"capability_id": capabilityID, "inputs": anyObject, "calculation_version": text(""), "as_of": text(""), "kind": {"type": "string", "enum": study.Kinds},
		"output":  anything,
		"vary":    {"description": `sweep, compare: {"L": {"from": 1, "to": 5, "count": 9}} or {"L": [1, 2]}; sensitivity: names.`},
		"zip":     flag,
		"against": text("compare: the other version."),
		"unknown": text("goal_seek: an input; bracket: two values of it."), "bracket": anything, "goal": anything, "change": anything,
		"uncertain":   {"description": `{"L": {"distribution": "normal", "standard_uncertainty": 0.01}}; or rectangular with half_width.`},
		"correlation": {"description": `[{"of": ["L", "E"], "r": 0.5}]`}, "coverage_probability": anything, "second_order": flag,
		"draws": anything, "digits": anything, "max_draws": anything, "seed": anything, "bins": anything,
		"units": text("Table in us, metric, si."), "unit": anything,
	}, "capability_id", "kind"),
	output: with(members{"capability_id": text(""), "calculation_version": text(""), "plan": anyObject, "calculations": anything}, "capability_id", "plan", "calculations"),
	answer: (*Server).study,
}, {
	name: toolCreate, title: "Freeze a calculation",
	description: "Run one calculation and freeze it as a snapshot that never changes. Answers its id and the frozen result; links.snapshot is its path here. Ids in cx_e1_ do not expire, other cx_ ids live for 180 days.",
	changes:     true,
	input:       with(members{"capability_id": capabilityID, "inputs": inputs, "calculation_version": pin, "as_of": text(""), "steps": flag}, "capability_id", "inputs"),
	output:      record,
	answer:      (*Server).createSnapshot,
}, {
	name: toolSnapshot, title: "Read a snapshot",
	description: "A frozen calculation, exactly as it was frozen, by the id that " + toolCreate + " answered.",
	input:       with(members{"id": text("cx_...")}, "id"),
	output:      record,
	answer:      (*Server).readSnapshot,
}}

// Arguments and answers that several tools share.
var (
	capabilityID = text("Capability id or tool id from " + toolSearch + ".")
	pin          = text("Exact version, such as 1.0.0.")
	system       = property{"type": "string", "enum": outputs.Systems, "description": "Units of result_detail.formatted alone."}
	asOf         = text("Or a date.")
	inputs       = property{"type": "object", "description": `Inputs by name or alias, as ` + toolDescribe + ` tells. Bare numbers are SI; or {"value": 10, "unit": "ft"}.`}
	steps        = property{"type": "boolean", "description": "Also answer worked steps."}
	record       = with(members{
		"id": text(""), "capability_id": text(""), "calculation_version": text(""), "inputs": anyObject, "result": anyObject, "links": anyObject,
	}, "id", "capability_id", "calculation_version", "inputs", "result", "links")
)

// addTools registers the tools. They get the arguments as raw JSON, because the SDK would decode them to
// floating point and change 1e-400 to zero.
func (s *Server) addTools() {
	no := false
	for _, t := range tools {
		s.server.AddTool(&protocol.Tool{
			Name: t.name, Title: t.title, Description: t.description,
			InputSchema: t.input.arguments(), OutputSchema: t.output.answer(),
			Annotations: &protocol.ToolAnnotations{ReadOnlyHint: !t.changes, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
		}, func(ctx context.Context, req *protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			c := callOf(ctx)
			body, err := t.run(s, ctx, c, req)
			if err != nil {
				return s.fail(c, t.name, err)
			}
			return result(body, false), nil
		})
	}
}

// run checks the arguments of a call and answers it. It refuses arguments that are not in the tool's input
// schema.
func (t *tool) run(s *Server, ctx context.Context, c *call, req *protocol.CallToolRequest) ([]byte, error) {
	args, err := readArguments(c.arguments, req.Params.Arguments, t.input)
	if err != nil {
		return nil, err
	}
	return t.answer(s, ctx, c, args)
}

// exact is the result of a tool with structured content that must not change. The SDK would write \u003c for <,
// so the bytes would differ from REST.
type exact struct {
	*protocol.CallToolResult
	content json.RawMessage
}

// exactly returns the result of a tool as exact, and any other result unchanged.
func exactly(res protocol.Result) protocol.Result {
	if r, ok := res.(*protocol.CallToolResult); ok {
		if content, ok := r.StructuredContent.(json.RawMessage); ok {
			r.StructuredContent = nil
			return exact{r, content}
		}
	}
	return res
}

// MarshalJSON appends the structured content to the members that the SDK writes.
func (e exact) MarshalJSON() ([]byte, error) {
	body, err := e.CallToolResult.MarshalJSON()
	if err != nil {
		return nil, err
	}
	body = append(body[:len(body)-1], `,"structuredContent":`...)
	return append(append(body, e.content...), '}'), nil
}

// result returns the JSON object as structured content, and also as text for agents that only read text.
func result(body []byte, failed bool) *protocol.CallToolResult {
	if n := len(body); n > 0 && body[n-1] == '\n' {
		body = body[:n-1]
	}
	return &protocol.CallToolResult{
		Content:           []protocol.Content{&protocol.TextContent{Text: string(body)}},
		StructuredContent: json.RawMessage(body),
		IsError:           failed,
	}
}
