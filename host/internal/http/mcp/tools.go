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
	summary func(body []byte) string // lines of an answer, for its text
}

var tools = []tool{{
	name: toolSearch, title: "Search calculations",
	description: "Find calculations for a problem in plain words. Best match first, with the inputs of " + toolExecute + ".",
	input: with(members{
		"query":  text("The problem, such as: amps for a 3 kW heater. An empty query lists all."),
		"domain": text("Start of ids, such as mechanical or mechanical.statics."),
		"limit":  {"type": "integer", "minimum": 1, "maximum": maxResults, "default": defaultResults, "description": "Maximum results."},
		"cursor": text("next_cursor of the previous search."),
	}, "query"),
	output: with(members{
		"capabilities": list("Hits with capability_id, title and inputs.", anyObject),
		"total":        {"type": "integer", "description": "Number of hits."},
		"next_cursor":  text("Send it as cursor for the next hits."),
	}, "capabilities", "total"),
	answer: (*Server).search, summary: summaryOf(searchLines),
}, {
	name: toolDescribe, title: "Describe a calculation",
	description: "Describe one calculation: inputs with units, ranges, choices and defaults; outputs, assumptions and an example.",
	input: with(members{
		"capability_id": capabilityID, "calculation_version": pin, "as_of": asOf,
		schemaArgument: flag("Also return the JSON Schema of the inputs, formulas, references and verification."),
	}, "capability_id"),
	output: with(members{
		"calculation_version": answeredVersion, "inputs": list("Inputs.", anyObject), "outputs": list("Outputs.", anyObject),
	}, "calculation_version", "inputs", "outputs"),
	answer: (*Server).describe, summary: summaryOf(describeLines),
}, {
	name: toolVersions, title: "List versions",
	description: "List the published versions of a calculation, newest first, with changes, digests and tiers.",
	input:       with(members{"capability_id": capabilityID}, "capability_id"),
	output: with(members{
		"current_version": text("Default version."), "versions": list("Newest first.", anyObject),
	}, "versions"),
	answer: (*Server).listVersions, summary: summaryOf(versionLines),
}, {
	name: toolExecute, title: "Calculate",
	description: "Run one calculation. Returns the result with normalized inputs, formula, assumptions, warnings and version. An error has code, field and suggestion.",
	input: with(members{
		"capability_id": capabilityID, "inputs": inputs, "calculation_version": pin, "as_of": asOf,
		stepsArgument: flag("Also return worked steps."), unitsArgument: system, unitArgument: list(`Units of single outputs: ["delta=mm"].`, property{"type": "string"}),
	}, "capability_id", "inputs"),
	output: with(members{
		"calculation_version": answeredVersion, "result": object("Outputs by name, in SI."), "result_detail": object("formatted has outputs with units."),
	}, "calculation_version", "result", "result_detail"),
	answer: (*Server).execute, summary: summaryOf(calculationLines),
}, {
	name: toolStudy, title: "Run a study",
	description: "Run many calculations with one version: sweep inputs, compare two versions, goal_seek an input, sensitivity, uncertainty by propagation (gum) or draws (monte_carlo).",
	input: with(members{
		"capability_id": capabilityID, "calculation_version": pin, "as_of": asOf,
		"inputs":               object("Inputs of the base calculation, as in " + toolExecute + "."),
		"kind":                 {"type": "string", "enum": study.Kinds, "description": "Kind of study."},
		"output":               either("Names of outputs; default: the main output.", property{"type": "string"}, list("", property{"type": "string"})),
		"vary":                 either(`sweep, compare: {"L": {"from": 1, "to": 5, "count": 9}} or {"L": [1, 2]}; sensitivity: ["L"].`, object(""), list("", property{"type": "string"})),
		"zip":                  flag("sweep: combine values by position, not every combination."),
		"against":              text("compare: the other version."),
		"unknown":              text("goal_seek: the input to find."),
		"bracket":              {"type": "array", "items": quantity(""), "minItems": 2, "maxItems": 2, "description": "goal_seek: two values of unknown with the goal between their outputs."},
		"goal":                 quantity("goal_seek: target value of the output."),
		"change":               number("sensitivity: relative change of inputs; default 0.1."),
		"uncertain":            {"type": "object", "additionalProperties": anyObject, "description": `gum, monte_carlo: {"L": {"distribution": "normal", "standard_uncertainty": 0.01}}, or rectangular with half_width.`},
		"correlation":          list(`gum, monte_carlo: [{"of": ["L", "E"], "r": 0.5}].`, anyObject),
		"coverage_probability": number("gum, monte_carlo: of intervals; default 0.95."),
		"second_order":         flag("gum: add second-order terms."),
		"draws":                whole("monte_carlo: default 50,000."),
		"digits":               whole("monte_carlo: instead of draws, draw until 1 or 2 digits of the uncertainty are stable."),
		"max_draws":            whole("monte_carlo: maximum draws with digits."),
		"seed":                 whole("monte_carlo: default 1."),
		"bins":                 whole("monte_carlo: bins of the histogram; default 50."),
		unitsArgument:          {"type": "string", "enum": outputs.Systems, "description": "Units of the table shown."},
		unitArgument:           list(`Units of single columns: ["delta=mm"].`, property{"type": "string"}),
	}, "capability_id", "kind"),
	output: with(members{
		"calculation_version": answeredVersion, "plan": object("The study with all defaults."), "calculations": whole("Number of calculations."),
	}, "calculation_version", "plan", "calculations"),
	answer: (*Server).study, summary: summaryOf(studyLines),
}, {
	name: toolCreate, title: "Create a snapshot",
	description: "Run one calculation and store it as a snapshot that never changes. Returns its id and the result. Ids cx_e1_ do not expire; other ids expire after 180 days.",
	changes:     true,
	input: with(members{
		"capability_id": capabilityID, "inputs": inputs, "calculation_version": pin, "as_of": asOf, stepsArgument: flag("Also store worked steps."),
	}, "capability_id", "inputs"),
	output: record,
	answer: (*Server).createSnapshot, summary: summaryOf(snapshotLines),
}, {
	name: toolSnapshot, title: "Read a snapshot",
	description: "Read a calculation exactly as " + toolCreate + " stored it.",
	input:       with(members{"id": text("cx_...")}, "id"),
	output:      record,
	answer:      (*Server).readSnapshot, summary: summaryOf(snapshotLines),
}}

// Arguments and answers that several tools share.
var (
	capabilityID = text("Id from " + toolSearch + ".")
	pin          = text("Exact version, such as 1.0.0.")
	asOf         = text("Date or time, for the version that was current then.")
	system       = property{"type": "string", "enum": outputs.Systems, "description": "Units of result_detail.formatted only."}
	inputs       = object(`By name or alias. Numbers are SI. Also: "10 ft", {"value": 10, "unit": "ft"}, or a table row: {"preset": "data.materials.metals/S235"}.`)

	answeredVersion = text("Version that computed the result.")
	record          = with(members{
		"id": text("Id of the snapshot."), "result": object("Response of " + toolExecute + "."), "links": object("snapshot is its path."),
	}, "id", "result", "links")
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
			summary, failed := t.summary, err != nil
			if failed {
				summary = summaryOf(failureLines)
				body, err = s.fail(c, t.name, err)
			}
			if err != nil {
				return nil, err
			}
			if !readsStructured(req) {
				summary = nil
			}
			return result(body, summary, failed), nil
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
