package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// message is one JSON-RPC message, read before the SDK reads it.
type message struct {
	id        json.RawMessage // as it was sent; nil for notifications
	method    string          // "" for a response
	revision  string          // of the protocol, that the message names; "" in older ones
	tool      string          // that is called, "" if none is
	arguments *scanned        // of the tool

	// body is what the SDK reads: the message as it was sent, but without arguments that it
	// would stumble over, because it decodes numbers to compare headers.
	body []byte
}

// scanned are the arguments of a tool as our scanner reads them: the SDK would take
// 1e-400 for zero. The error is that of the scanner.
type scanned struct {
	value strictjson.Value
	err   error
}

// noArguments are those of a call that sends none.
var noArguments = scanned{value: strictjson.Value{Kind: strictjson.Object}}

// fault is a message that is refused: the HTTP status, and the error of JSON-RPC.
type fault struct {
	status  int
	code    int64
	message string
}

func invalid(code int64, format string, args ...any) *fault {
	return &fault{400, code, fmt.Sprintf(format, args...)}
}

// readMessage reads one message, in one scan unless it is faulty. The arguments of a tool
// may be faulty: their error is kept, so that the agent is told as the result of the tool.
// The message is not nil: what could be read of a faulty one says whom to tell.
func readMessage(body []byte) (*message, *fault) {
	m := &message{body: body}
	v, err := strictjson.Parse(body)
	if err != nil {
		v, err = m.scanSeparately(body, err)
	}
	switch {
	case err != nil && !json.Valid(body):
		return m, invalid(jsonrpc.CodeParseError, "the message is not JSON: %v", err)
	case err != nil:
		return m, invalid(jsonrpc.CodeInvalidRequest, "the message cannot be accepted: %v", err)
	case v.Kind == strictjson.Array:
		return m, invalid(jsonrpc.CodeInvalidRequest, "send one message at a time; batches are not supported")
	case v.Kind != strictjson.Object:
		return m, invalid(jsonrpc.CodeInvalidRequest, "the message is %s, and must be an object", v.Kind)
	}
	return m, m.read(v)
}

// scanAround scans a message that was refused with the error once more, without the
// arguments of its tool, and scans those by themselves. The error is that of the message.
func (m *message) scanSeparately(body []byte, refused error) (strictjson.Value, error) {
	from, to := findArguments(body)
	if to == 0 {
		return strictjson.Value{}, refused
	}
	m.body = withoutArguments(body, from, to)
	v, err := strictjson.Parse(m.body)
	if method, _ := v.Member("method"); err == nil && method.Text != methodCallTool {
		return strictjson.Value{}, refused // they are no tool's
	}
	var arguments scanned
	arguments.value, arguments.err = strictjson.Parse(body[from:to])
	if arguments.err != nil && body[from] != '{' {
		arguments = scanned{value: strictjson.Value{Kind: strictjson.Array}} // no object, whatever is in it
	}
	m.arguments = &arguments
	return v, err
}

// without is the message with an empty object for the arguments.
func withoutArguments(body []byte, from, to int) []byte {
	return slices.Concat(body[:from], []byte("{}"), body[to:])
}

// findArguments returns where the arguments of the message stand: params.arguments of a
// well-formed message. It returns 0, 0 if they are not there.
func findArguments(body []byte) (from, to int) {
	d := json.NewDecoder(bytes.NewReader(body))
	if !enter(d) || !seek(d, "params") || !enter(d) || !seek(d, "arguments") {
		return 0, 0
	}
	var value json.RawMessage
	if d.Decode(&value) != nil {
		return 0, 0
	}
	to = int(d.InputOffset())
	return to - len(value), to
}

// enter steps into an object.
func enter(d *json.Decoder) bool {
	t, err := d.Token()
	return err == nil && t == json.Delim('{')
}

// seek steps behind the first member name of this object that is wanted.
func seek(d *json.Decoder, name string) bool {
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return false
		}
		if t == name {
			return true
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}

func (m *message) read(v strictjson.Value) *fault {
	if version, _ := v.Member("jsonrpc"); version.Text != "2.0" || version.Kind != strictjson.String {
		return invalid(jsonrpc.CodeInvalidRequest, `the member jsonrpc must be "2.0"`)
	}
	if f := m.readID(v); f != nil {
		return f
	}
	method, called := v.Member("method")
	switch {
	case !called && (v.Has("result") || v.Has("error")) && m.id != nil:
		return nil
	case method.Kind != strictjson.String || method.Text == "":
		return invalid(jsonrpc.CodeInvalidRequest, "the member method must name what is asked for")
	}
	m.method = method.Text
	params, sent := v.Member("params")
	if sent && params.Kind != strictjson.Object {
		return invalid(jsonrpc.CodeInvalidParams, "params must be an object; %s was sent", params.Kind)
	}
	meta, _ := params.Member("_meta")
	revision, _ := meta.Member(protocol.MetaKeyProtocolVersion)
	m.revision = revision.Text
	if m.method != methodCallTool {
		return nil
	}
	return m.readTool(params)
}

// readID keeps the id as it was sent. One that is not told apart from others when it is
// read as a number is refused: the answer would go to another request.
func (m *message) readID(v strictjson.Value) *fault {
	id, sent := v.Member("id")
	switch {
	case !sent:
		return nil
	case id.Kind == strictjson.String:
		text, err := json.Marshal(id.Text)
		if err != nil {
			return invalid(jsonrpc.CodeInvalidRequest, "the id cannot be repeated")
		}
		m.id = text
		return nil
	case id.Kind == strictjson.Number && id.Range == strictjson.InRange && id.Float == math.Trunc(id.Float) && math.Abs(id.Float) < 1<<53:
		m.id = strconv.AppendInt(nil, int64(id.Float), 10)
		return nil
	}
	return invalid(jsonrpc.CodeInvalidRequest, "the id must be a string or a whole number below 2^53")
}

func (m *message) readTool(params strictjson.Value) *fault {
	name, _ := params.Member("name")
	if name.Kind != strictjson.String {
		return invalid(jsonrpc.CodeInvalidParams, "params.name must name a tool")
	}
	m.tool = name.Text
	if m.arguments == nil {
		m.arguments = &scanned{}
		m.arguments.value, _ = params.Member("arguments")
	}
	switch a := m.arguments; {
	case a.err != nil:
	case a.value.Kind == strictjson.Null:
		m.arguments = &noArguments // as if they had not been sent
	case a.value.Kind != strictjson.Object:
		return invalid(jsonrpc.CodeInvalidParams, "the arguments of %.80q must be an object", request.Clip(m.tool))
	default:
		if _, _, found := a.value.FirstOutOfRange(); found {
			from, to := findArguments(m.body)
			m.body = withoutArguments(m.body, from, to)
		}
	}
	return nil
}

// Methods that the front knows by name.
const (
	methodCallTool   = "tools/call"
	methodInitialize = "initialize"
)

// methods are those that are answered. Of the SDK's others some would be answered too,
// with nothing behind them.
func methods() map[string]bool {
	known := map[string]bool{}
	for _, name := range append([]string{
		methodInitialize, "ping", "server/discover", "tools/list", methodCallTool,
		"resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get", "completion/complete",
		"subscriptions/listen", "notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
	}, fixtureMethods...) {
		known[name] = true
	}
	return known
}

// renderError renders an error of JSON-RPC. The id is null where it is not known, as
// JSON-RPC 2.0 wants it.
func renderError(id json.RawMessage, code int64, text string, data json.RawMessage) []byte {
	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", id, struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{code, text, data}})
	if err != nil {
		panic(err) // ids and data are JSON that was read or rendered here
	}
	return append(body, '\n')
}
