package contestant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// learned holds the common part of all answers.
type learned struct {
	common     answer // without the parts that depend on the inputs
	head, tail []byte // of the text, around these parts
}

// learn splits an answer of Slipstick into its parts.
func learn(text []byte) (*learned, error) {
	l := new(learned)
	if err := json.Unmarshal(text, &l.common); err != nil {
		return nil, fmt.Errorf("the answer to learn from: %w", err)
	}
	head, _, found := bytes.Cut(text, []byte(`"inputs":`))
	_, tail, ended := bytes.Cut(text, []byte(`,"formula":`))
	if !found || !ended || l.common.Tool == "" {
		return nil, errors.New("the answer to learn from has no tool, inputs or formula")
	}
	l.head = append(bytes.Clone(head), `"inputs":`...)
	l.tail = append([]byte(`,"formula":`), tail...)
	return l, nil
}
