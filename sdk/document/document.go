// Package document reads the JSON documents that engines send and registries store. Use [ReadSpec]
// for a Spec that must be valid, and [ParseSpec] to examine one that may not be. [ParseFigure]
// reads the drawing of a plot. The documents may come from untrusted engines: one with more parts
// than any engine needs is an error before it takes memory. [Shown] replaces invisible characters,
// for documents that are shown to people.
package document

import (
	"encoding/json"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Bounds on the documents of engines. They are checked before a document becomes Go values,
// because Go values take much more memory: an empty object of two bytes becomes several
// hundred.
const (
	maxDocumentDepth = 64                                            // levels of the document of a Spec, or of a drawing
	maxSpecObjects   = 10_000                                        // objects and arrays of a Spec
	maxSpecParts     = 40_000                                        // members and items of a Spec
	maxFigureObjects = 12 * sdk.MaxFigureParts                       // and their lists
	maxFigureMembers = 2*sdk.MaxFigurePoints + 80*sdk.MaxFigureParts // and items
)

// ParseSpec reads the JSON document of a Spec, and makes its formulas from its Definition. It does
// not validate the Spec. A document with more parts than any Spec needs is an error.
func ParseSpec(document []byte) (*sdk.Spec, error) {
	s, err := parseSpec(document)
	if err == nil {
		s.Express()
	}
	return s, err
}

// ReadSpec is ParseSpec for a Spec that has to be valid. It returns an invalid Spec together
// with the error.
func ReadSpec(document []byte) (*sdk.Spec, error) {
	s, err := parseSpec(document)
	if err == nil {
		err = s.Prepare()
	}
	return s, err
}

// Shown returns the Spec of a document as people see it, with U+FFFD instead of invisible
// characters. It returns nil if there are none, as in each Spec that [sdk.Spec.Validate]
// accepts.
func Shown(document []byte) (*sdk.Spec, error) {
	if !visible.Suspect(document) {
		return nil, nil
	}
	s, err := ParseSpec(document)
	if err != nil {
		return nil, err
	}
	changed := false
	visible.Each(s, func(_, text string) string {
		shown := visible.Text(text)
		changed = changed || shown != text
		return shown
	})
	if !changed {
		return nil, nil
	}
	return s, nil
}

func parseSpec(document []byte) (*sdk.Spec, error) {
	if err := countParts(document, maxSpecObjects, maxSpecParts); err != nil {
		return nil, err
	}
	s := new(sdk.Spec)
	if err := json.Unmarshal(document, s); err != nil {
		return nil, err
	}
	return s, nil
}

// ParseFigure reads the JSON document of a drawing and checks it.
func ParseFigure(document []byte) (*sdk.Figure, error) {
	if err := countParts(document, maxFigureObjects, maxFigureMembers); err != nil {
		return nil, err
	}
	f := new(sdk.Figure)
	if err := json.Unmarshal(document, f); err != nil {
		return nil, fmt.Errorf("not a Figure document: %w", err)
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	return f, nil
}

// countParts returns an error for a JSON document with too many objects and lists, or with too
// many members and items. The document need not be valid JSON.
func countParts(document []byte, objects, parts int) error {
	depth, text := 0, false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
			objects--
		case c == '}' || c == ']':
			depth--
		case c == ',' || c == ':':
			parts--
		}
		if depth > maxDocumentDepth || objects < 0 || parts < 0 {
			return fmt.Errorf("document of %d bytes has too many parts, or nests them too deeply", len(document))
		}
	}
	return nil
}
