package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checkHeaders validates the headers of an answer against the headers of the response.
func (c *Checker) checkHeaders(response place, header http.Header) error {
	for name := range response.object("headers") {
		h, _ := c.follow(response.to("headers", name))
		required, _ := h.value["required"].(bool)
		lines := header.Values(name)
		if len(lines) == 0 {
			if required {
				return fmt.Errorf("the header %s is missing", name)
			}
			continue
		}
		var value any = lines[0]
		if h.object("schema")["type"] == "integer" {
			value = json.Number(lines[0])
			if _, err := strconv.Atoi(lines[0]); err != nil {
				return fmt.Errorf("the header %s is %q, not an integer", name, lines[0])
			}
		}
		if err := c.validate(h.to("schema"), value); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	return nil
}

// checkBody validates the media type and the body of an answer.
func (c *Checker) checkBody(response place, header http.Header, body []byte) error {
	content := response.object("content")
	if len(content) == 0 {
		if len(body) > 0 {
			return errors.New("a body that has none documented")
		}
		return nil
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || content[media] == nil {
		return fmt.Errorf("the media type %q is not documented", header.Get("Content-Type"))
	}
	if !strings.HasSuffix(media, "json") {
		if len(body) == 0 {
			return errors.New("the body is empty")
		}
		return nil
	}
	schema := response.to("content", media, "schema")
	if media != "application/x-ndjson" {
		return c.checkJSON(schema, body)
	}
	for line := range bytes.Lines(body) {
		if err := c.checkJSON(schema, line); err != nil {
			return fmt.Errorf("line %.200s: %w", line, err)
		}
	}
	return nil
}

func (c *Checker) checkJSON(schema place, text []byte) error {
	v, err := readJSON(text)
	if err != nil {
		return err
	}
	if err := c.validate(schema, v); err != nil {
		return err
	}
	return c.checkResult(v)
}

// checkResult validates a success result against the schema of the release that it names.
func (c *Checker) checkResult(v any) error {
	body, _ := v.(object)
	if body["status"] != "success" {
		return nil
	}
	if frozen, ok := body["result"].(object); ok && frozen["status"] == "success" {
		return c.checkResult(frozen)
	}
	name := fmt.Sprintf("%v-%v.result", body["capability_id"], body["calculation_version"])
	at, ok := c.at("components", "schemas", name)
	if !ok {
		return fmt.Errorf("the document has no schema %s", name)
	}
	return c.validate(at, body)
}

func (c *Checker) validate(at place, v any) error {
	schema, ok := c.schemas[at.pointer]
	if !ok {
		var err error
		schema, err = c.compiler.Compile(resource + "#" + at.pointer)
		if err != nil {
			return fmt.Errorf("the document is broken at %s: %w", at.pointer, err)
		}
		c.schemas[at.pointer] = schema
	}
	return schema.Validate(v)
}

// readJSON reads one JSON value. It refuses numbers with an exponent that is too large for exact arithmetic,
// before any computation.
func readJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the body is not JSON: %w", err)
		}
		if n, ok := token.(json.Number); ok && !bearable(string(n)) {
			return nil, fmt.Errorf("the body has the number %.40s", n)
		}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	return v, nil
}

const maxExponent = 10_000

func bearable(literal string) bool {
	_, exponent, ok := strings.Cut(strings.ToLower(literal), "e")
	if !ok {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && -maxExponent <= n && n <= maxExponent
}
