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
	id        json.RawMessage // nil for notifications
	method    string          // "" for a response
	revision  string          // revision of the protocol in the message; "" in older revisions
	tool      string          // tool that is called, "" if none
	arguments *scanned        // arguments of the tool

	// body is the input of the SDK: the message as sent, but without arguments that the SDK cannot decode. The
	// SDK decodes numbers to compare them with headers.
	body []byte
}

// scanned holds the arguments of a tool as our scanner reads them, or the scanner's error. The SDK would read
// 1e-400 as zero.
type scanned struct {
	value strictjson.Value
	err   error
}

// noArguments are the arguments of a call that sends none.
var noArguments = scanned{value: strictjson.Value{Kind: strictjson.Object}}

// fault is the reason to refuse a message: an HTTP status and a JSON-RPC error.
type fault struct {
	status  int
	code    int64
	message string
}

func invalid(code int64, format string, args ...any) *fault {
	return &fault{400, code, fmt.Sprintf(format, args...)}
}

// readMessage reads one message, and scans a valid one only once. If the arguments of a tool are invalid, it
// keeps their error, because the error becomes the result of the tool. The message is never nil, because the
// answer needs the id of an invalid message.
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

// scanSeparately scans an invalid message again: the arguments of its tool apart from the rest. It returns the
// error of the rest, or refused if there are no arguments.
func (m *message) scanSeparately(body []byte, refused error) (strictjson.Value, error) {
	from, to := findArguments(body)
	if to == 0 {
		return strictjson.Value{}, refused
	}
	m.body = withoutArguments(body, from, to)
	v, err := strictjson.Parse(m.body)
	if method, _ := v.Member("method"); err == nil && method.Text != methodCallTool {
		return strictjson.Value{}, refused // the message calls no tool
	}
	var arguments scanned
	arguments.value, arguments.err = strictjson.Parse(body[from:to])
	// Arguments that are not an object are refused for their type and not for their content.
	if arguments.err != nil && body[from] != '{' {
		arguments = scanned{value: strictjson.Value{Kind: strictjson.Array}} // any value that is not an object
	}
	m.arguments = &arguments
	return v, err
}

// withoutArguments returns the message with an empty object in place of the arguments.
func withoutArguments(body []byte, from, to int) []byte {
	return slices.Concat(body[:from], []byte("{}"), body[to:])
}

// findArguments returns the byte range of params.arguments in a well-formed message, or 0, 0
// if there are none.
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

// enter reads the start of an object.
func enter(d *json.Decoder) bool {
	t, err := d.Token()
	return err == nil && t == json.Delim('{')
}

// seek reads up to the value of the first member with the name.
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

// readID stores the id. It refuses numbers other than integers below 2^53: a client that reads them as binary64
// could match the answer with another request.
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
		m.arguments = &noArguments // null counts as not sent
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

// Methods with special treatment.
const (
	methodCallTool   = "tools/call"
	methodInitialize = "initialize"
)

// methods returns the methods that this server supports. The SDK would also answer methods of features that
// this server does not have.
func methods(more []string) map[string]bool {
	known := map[string]bool{}
	for _, name := range append([]string{
		methodInitialize, "ping", "server/discover", "tools/list", methodCallTool,
		"resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get", "completion/complete",
		"subscriptions/listen", "notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
	}, more...) {
		known[name] = true
	}
	return known
}

// renderError renders a JSON-RPC error. An unknown id is rendered as null, as JSON-RPC 2.0
// requires.
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
		panic(err) // ids and data are valid JSON: this package read or rendered them
	}
	return append(body, '\n')
}
