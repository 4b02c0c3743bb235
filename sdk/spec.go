package sdk

import (
	"errors"
	"fmt"
	pathpkg "path"
	"regexp"
	"slices"
	"strings"
)

// ContractVersion is the version of the engine contract that this SDK speaks; a
// result carries it as spec_version.
const ContractVersion = "1.0.0"

// Spec describes one capability at one version. Schemas, forms and checks are all
// generated from it.
type Spec struct {
	Contract   string `json:"spec_version"`        // set by New
	Capability string `json:"capability_id"`       // such as thermo.radiation.grey_surface
	Version    string `json:"calculation_version"` // semver without build metadata
	Tool       string `json:"tool"`                // kebab case, such as grey-surface
	Group      string `json:"group"`               // page path /calc/<group>/<tool>
	Title      string `json:"title"`
	Summary    string `json:"summary"` // one sentence

	Inputs  []Field `json:"inputs"`  // set by New from the In struct
	Outputs []Field `json:"outputs"` // set by New from the Out struct

	Formulas       []Formula   `json:"formulas,omitempty"` // the first is the default
	Assumptions    []string    `json:"assumptions,omitempty"`
	SignConvention string      `json:"sign_convention,omitempty"`
	References     []Reference `json:"references,omitempty"`

	Errors   []string `json:"errors,omitempty"`   // domain codes the engine can answer
	Warnings []string `json:"warnings,omitempty"` // warning codes it can give

	// ReadOnlyPaths are what the engine has to read of the system it runs on, such as
	// an interpreter and its libraries. A confined engine sees nothing else.
	ReadOnlyPaths []string `json:"read_only_paths,omitempty"`

	// Verification is what the author claims. Publishing refuses a claim that the
	// evidence does not support; the zero value claims nothing.
	Verification *Verification `json:"verification,omitempty"`
}

// Formula is one formula an engine evaluates. A result shows ID, Expression and
// Label.
type Formula struct {
	ID         string `json:"id"`
	Expression string `json:"expression"`
	Label      string `json:"label,omitempty"`
	LaTeX      string `json:"latex,omitempty"`
}

// Reference is a source of a formula or constant.
type Reference struct {
	Title string `json:"title"`
	Where string `json:"where,omitempty"` // edition, table, case, section
}

// Type is the JSON type of a field.
type Type string

// The types of fields.
const (
	TypeNumber  Type = "number"
	TypeInteger Type = "integer"
	TypeString  Type = "string"
	TypeBoolean Type = "boolean"
	TypeArray   Type = "array"
	TypeObject  Type = "object"
)

// Field is one input or output quantity.
type Field struct {
	Name        string   `json:"name,omitempty"` // canonical; empty for array items
	Aliases     []string `json:"aliases,omitempty"`
	Type        Type     `json:"type"`
	Unit        string   `json:"unit,omitempty"`     // SI unit of a number; "" if dimensionless
	Required    bool     `json:"required,omitempty"` // inputs: must be sent; outputs: always present
	Default     string   `json:"default,omitempty"`  // as JSON text of the field's type, unquoted
	Decimal     bool     `json:"decimal_string,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	EnumAliases []Alias  `json:"enum_aliases,omitempty"`
	Range       *Range   `json:"range,omitempty"` // enforced by the engine, not by the schema
	Doc         string   `json:"doc,omitempty"`
	Items       *Field   `json:"items,omitempty"`  // array
	Fields      []Field  `json:"fields,omitempty"` // object
}

// Alias is another spelling of an enum value.
type Alias struct {
	Alias string `json:"alias"`
	Value string `json:"value"`
}

// Range is an interval of legal values of a number and the code of leaving it.
type Range struct {
	Min     *float64 `json:"minimum,omitempty"`
	Max     *float64 `json:"maximum,omitempty"`
	MinOpen bool     `json:"minimum_excluded,omitempty"`
	MaxOpen bool     `json:"maximum_excluded,omitempty"`
	Code    string   `json:"code"`
}

// Contains reports whether x lies in r.
func (r *Range) Contains(x float64) bool {
	if r.Min != nil && (x < *r.Min || r.MinOpen && x == *r.Min) {
		return false
	}
	return r.Max == nil || x < *r.Max || x == *r.Max && !r.MaxOpen
}

// String gives the interval in mathematical notation, such as (0, 1].
func (r *Range) String() string {
	open, low, high, shut := "(", "-inf", "inf", ")"
	if r.Min != nil {
		low = formatShortest(*r.Min)
		if !r.MinOpen {
			open = "["
		}
	}
	if r.Max != nil {
		high = formatShortest(*r.Max)
		if !r.MaxOpen {
			shut = "]"
		}
	}
	return open + low + ", " + high + shut
}

// Reserved are the names with a meaning of their own in a request body; no input
// may carry one.
var Reserved = []string{"inputs", "calculation_version", "id", "tool", "tool_id", "capability_id"}

var (
	capabilityForm = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+(_[a-z0-9]+)*)+$`)
	toolForm       = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	fieldForm      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	codeForm       = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	versionForm    = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)` +
		`(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?$`)
)

// IsCapability reports whether id has the form of a capability id.
func IsCapability(id string) bool { return len(id) <= 200 && capabilityForm.MatchString(id) }

// IsTool reports whether id has the form of a tool id.
func IsTool(id string) bool { return len(id) <= 100 && toolForm.MatchString(id) }

// Validate returns every way in which s is not a usable Spec, joined.
func (s *Spec) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !IsCapability(s.Capability) {
		bad("Capability %q is not dotted lower-case words, such as thermo.radiation.grey_surface", s.Capability)
	}
	if !versionForm.MatchString(s.Version) {
		bad("Version %q is not major.minor.patch without build metadata", s.Version)
	}
	if !IsTool(s.Tool) {
		bad("Tool %q is not kebab case, such as grey-surface", s.Tool)
	}
	if !IsTool(s.Group) {
		bad("Group %q is not kebab case, such as statics", s.Group)
	}
	if s.Title == "" || s.Summary == "" {
		bad("Title and Summary are needed: they are what people search")
	}
	if len(s.Outputs) == 0 {
		bad("the Out struct has no field with a name tag")
	}
	errs = append(errs, checkFields("input", s.Inputs)...)
	errs = append(errs, checkFields("output", s.Outputs)...)
	if hasDecimal(s.Outputs) {
		bad("an output is an sdk.Decimal: results are numbers; use float64")
	}
	for _, name := range inputNames(s.Inputs) {
		if slices.Contains(Reserved, name) {
			bad("input name %q is reserved for requests: use another", name)
		}
	}
	for _, code := range slices.Concat(s.Errors, s.Warnings) {
		if !codeForm.MatchString(code) {
			bad("code %q is not upper-case words joined by underscores", code)
		}
	}
	for _, path := range s.ReadOnlyPaths {
		if !strings.HasPrefix(path, "/") || pathpkg.Clean(path) != path || path == "/" {
			bad("read-only path %q is not a clean absolute path below the root, such as /usr/lib", path)
		}
	}
	for i, f := range s.Formulas {
		if f.ID == "" || f.Expression == "" || s.formula(f.ID) != &s.Formulas[i] {
			bad("formula %d needs an Expression and an ID of its own", i)
		}
	}
	return errors.Join(errs...)
}

func hasDecimal(fields []Field) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		return f.Decimal || f.Items != nil && hasDecimal([]Field{*f.Items}) || hasDecimal(f.Fields)
	})
}

func inputNames(fields []Field) []string {
	var names []string
	for _, f := range fields {
		names = append(append(names, f.Name), f.Aliases...)
	}
	return names
}

func checkFields(what string, fields []Field) []error {
	var errs []error
	seen := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			if !fieldForm.MatchString(name) {
				errs = append(errs, fmt.Errorf("%s name %q is not a word of letters, digits and underscores", what, name))
			}
			if seen[name] {
				errs = append(errs, fmt.Errorf("%s name %q is used twice", what, name))
			}
			seen[name] = true
		}
		errs = append(errs, checkField(what, f)...)
	}
	return errs
}

func checkField(what string, f *Field) []error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s %q: %s", what, f.Name, fmt.Sprintf(format, args...)))
	}
	switch f.Type {
	case TypeNumber, TypeInteger, TypeString, TypeBoolean:
	case TypeArray:
		if f.Items == nil {
			bad("an array needs Items")
		} else {
			errs = append(errs, checkField(what+" items of", f.Items)...)
		}
	case TypeObject:
		errs = append(errs, checkFields(what+" "+f.Name, f.Fields)...)
	default:
		bad("unknown type %q", f.Type)
	}
	if len(f.Enum) > 0 && f.Type != TypeString {
		bad("only a string has an enum")
	}
	for _, a := range f.EnumAliases {
		if !slices.Contains(f.Enum, a.Value) || slices.Contains(f.Enum, a.Alias) {
			bad("enum alias %q of %q is not another spelling of a value", a.Alias, a.Value)
		}
	}
	if f.Default != "" {
		if _, err := f.DefaultValue(); err != nil {
			bad("%v", err)
		}
	}
	if f.Range != nil && !codeForm.MatchString(f.Range.Code) {
		bad("range code %q is not upper-case words joined by underscores", f.Range.Code)
	}
	return errs
}

// DefaultValue returns the value of f when it is not sent: Absent if f has no
// default.
func (f *Field) DefaultValue() (Value, error) {
	if f.Default == "" {
		return Value{}, nil
	}
	switch f.Type {
	case TypeNumber, TypeInteger:
		x, err := parseFinite(f.Default)
		if err != nil {
			return Value{}, fmt.Errorf("default %q is not a finite number", f.Default)
		}
		return NumberOf(x), nil
	case TypeBoolean:
		if f.Default != "true" && f.Default != "false" {
			return Value{}, fmt.Errorf("default %q is not true or false", f.Default)
		}
		return BoolOf(f.Default == "true"), nil
	case TypeString:
		if len(f.Enum) > 0 && !slices.Contains(f.Enum, f.Default) {
			return Value{}, fmt.Errorf("default %q is not one of %s", f.Default, strings.Join(f.Enum, ", "))
		}
		return TextOf(f.Default), nil
	}
	return Value{}, fmt.Errorf("%s fields have no defaults", f.Type)
}

// EnumValue returns the enum value that text spells, by itself or as an alias.
func (f *Field) EnumValue(text string) (string, bool) {
	if slices.Contains(f.Enum, text) {
		return text, true
	}
	for _, a := range f.EnumAliases {
		if a.Alias == text {
			return a.Value, true
		}
	}
	return "", false
}

// Input returns the position of the input that name spells, canonical or alias,
// and -1 if there is none. Names are compared byte for byte.
func (s *Spec) Input(name string) int {
	for i := range s.Inputs { // by index: a Field is large
		if f := &s.Inputs[i]; f.Name == name || slices.Contains(f.Aliases, name) {
			return i
		}
	}
	return -1
}

// formula returns the formula with the id, the first for "", nil if there is none.
func (s *Spec) formula(id string) *Formula {
	if i := s.formulaIndex(id); i >= 0 {
		return &s.Formulas[i]
	}
	return nil
}

func (s *Spec) formulaIndex(id string) int {
	for i := range s.Formulas {
		if id == "" || s.Formulas[i].ID == id {
			return i
		}
	}
	return -1
}

// MayReject reports whether an engine of this Spec may answer the code.
func (s *Spec) MayReject(code string) bool {
	switch code {
	case CodeMissingRequiredInput, CodeConflictingInputs, CodeNonFiniteResult:
		return true
	}
	return slices.Contains(s.Codes(), code)
}

// MayWarn reports whether an engine of this Spec may give the warning code.
func (s *Spec) MayWarn(code string) bool {
	return code == WarnResultUnderflow || code == WarnResultSubnormal || slices.Contains(s.Warnings, code)
}

// Codes lists the error codes that the engine declares, those of ranges included.
func (s *Spec) Codes() []string {
	return rangeCodes(slices.Clone(s.Errors), s.Inputs)
}

func rangeCodes(codes []string, fields []Field) []string {
	for i := range fields {
		f := &fields[i]
		if f.Range != nil && !slices.Contains(codes, f.Range.Code) {
			codes = append(codes, f.Range.Code)
		}
		if f.Items != nil {
			codes = rangeCodes(codes, []Field{*f.Items})
		}
		codes = rangeCodes(codes, f.Fields)
	}
	return codes
}
