// Package openapitest validates recorded answers against an OpenAPI document. [Validator] compiles the document,
// and [Checker.Check] compares each answer with it.
package openapitest

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Checker holds a compiled document. It is not safe for concurrent use.
type Checker struct {
	document object
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by JSON pointer
}

// Validator returns a Checker of a document that openapi.Document wrote.
func Validator(document []byte) (*Checker, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	root, ok := v.(object)
	if !ok || root["paths"] == nil {
		return nil, fmt.Errorf("read the OpenAPI document: it has no paths")
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(resource, root); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return &Checker{document: root, compiler: compiler, schemas: map[string]*jsonschema.Schema{}}, nil
}

// Check returns an error unless the document allows this answer to this request:
//
//   - the status is documented for method and path. HEAD answers as GET does, without a body. OPTIONS
//     answers 204. A method without an operation answers 405, and a path that the document does not have
//     answers 404. Their components describe these answers;
//   - every header that the response requires is present and valid;
//   - the media type is documented, and a JSON body is valid against its schema;
//   - a success result, on its own or in a snapshot, is valid against the
//     schema of the release that it names.
//
// The path may have a query, which is ignored.
func (c *Checker) Check(method, path string, status int, header http.Header, body []byte) error {
	if err := c.check(method, path, status, header, body); err != nil {
		return fmt.Errorf("%s %s answered %d: %w", method, path, status, err)
	}
	return nil
}

func (c *Checker) check(method, path string, status int, header http.Header, body []byte) error {
	item, found := c.pathItem(path)
	at, _ := c.at("paths", item)
	var ok bool
	operation := strings.ToLower(method)
	if method == http.MethodHead {
		operation = "get"
	}
	code := strconv.Itoa(status)
	switch {
	case !found && code == "404":
		at, ok = c.at("components", "responses", "NotFound")
	case !found:
		return fmt.Errorf("the document has no such path")
	case at.has(operation):
		at, ok = c.at("paths", item, operation, "responses", code)
	case code == "405":
		at, ok = c.at("components", "responses", "MethodNotAllowed")
	case method == http.MethodOptions && code == "204":
		return checkOptions(header, body)
	default:
		return fmt.Errorf("%s has no operation %s: 405 is due", item, method)
	}
	if !ok {
		return fmt.Errorf("%s %s has no response %s", operation, item, code)
	}
	if method == http.MethodHead {
		if len(body) > 0 {
			return fmt.Errorf("an answer to HEAD has a body")
		}
		return c.checkHeaders(at, header)
	}
	if err := c.checkHeaders(at, header); err != nil {
		return err
	}
	return c.checkBody(at, header, body)
}

func checkOptions(header http.Header, body []byte) error {
	if header.Get("Allow") == "" || len(body) > 0 {
		return fmt.Errorf("an answer to OPTIONS needs an Allow header and no body")
	}
	return nil
}

// pathItem returns the key of the path in the document: the path itself, or the template that matches segment by
// segment.
func (c *Checker) pathItem(path string) (key string, found bool) {
	path, _, _ = strings.Cut(path, "?")
	paths, _ := c.document["paths"].(object)
	if _, ok := paths[path]; ok {
		return path, true
	}
	for template := range paths {
		if fits(template, path) {
			return template, true
		}
	}
	return "", false
}

func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if strings.HasPrefix(want[i], "{") && got[i] != "" && got[i] != "." && got[i] != ".." {
			continue
		}
		if want[i] != got[i] {
			return false
		}
	}
	return true
}
