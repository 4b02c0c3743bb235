// Package documents checks documents from other parties against the struct that they are read into.
// Use it after json.Unmarshal, for a trust file, a review or another document that people write.
// The struct states the form in the tags of go-playground/validator, next to its fields. [New]
// makes a [Checker] with further rules, and [Checker.Check] returns the first [Finding]. The
// package that owns the document words the errors, because it knows the advice.
package documents

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"
)

// Finding is a field that violates a rule of its tag.
type Finding struct {
	Path  string // as the document names it, such as sources[0].where
	Field string // the last part of the path, without an index
	Rule  string // such as required or oneof
	Param string // of the rule, such as 200 in maxbytes=200
	Value any
}

// Rule reports whether a text satisfies a rule with a parameter, which may be "".
type Rule func(text, param string) bool

// Checker checks documents. It is safe for concurrent use.
type Checker struct{ validate func() *validator.Validate }

// New returns a checker with the rules of the validator, maxbytes=N and the given ones.
// Maxbytes counts bytes, where max counts the characters of a text. The checker panics at the
// first check if a name is taken.
func New(rules map[string]Rule) *Checker {
	// It is made at first use: programs that read no document start without it.
	return &Checker{sync.OnceValue(func() *validator.Validate {
		v := validator.New(validator.WithRequiredStructEnabled())
		v.RegisterTagNameFunc(memberName)
		register(v, "maxbytes", func(text, limit string) bool {
			n, err := strconv.Atoi(limit)
			return err == nil && len(text) <= n
		})
		for name, rule := range rules {
			register(v, name, rule)
		}
		return v
	})}
}

func register(v *validator.Validate, name string, rule Rule) {
	err := v.RegisterValidation(name, func(f validator.FieldLevel) bool { return rule(f.Field().String(), f.Param()) })
	if err != nil {
		panic(err)
	}
}

// memberName is the name of a field in the document.
func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// Check returns an error unless the struct, or the struct that a pointer points to, has the
// form of its tags. The error is the result of word for the first finding, in the order of the
// fields. If that is nil, Check words the error itself.
func (c *Checker) Check(document any, word func(Finding) error) error {
	err := c.validate().Struct(document)
	var all validator.ValidationErrors
	if !errors.As(err, &all) {
		return err
	}
	first := all[0]
	_, path, _ := strings.Cut(first.Namespace(), ".")
	field, _, _ := strings.Cut(first.Field(), "[")
	f := Finding{path, field, first.Tag(), first.Param(), first.Value()}
	if err := word(f); err != nil {
		return err
	}
	return fmt.Errorf("%s does not satisfy the rule %s: correct it in the document", f.Path, strings.TrimSuffix(f.Rule+"="+f.Param, "="))
}
