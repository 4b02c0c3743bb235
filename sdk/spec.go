package sdk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

// ContractVersion is the version of the engine contract that this SDK implements. A result has
// the version of its engine's Spec as spec_version.
const ContractVersion = "1.2.0"

// MaxChanges bounds [Spec].Changes.
const MaxChanges = 600 // bytes of changes

// Spec describes one capability at one version. Schemas, forms and checks are generated from
// it.
type Spec struct {
	Contract   string `json:"spec_version"`        // of the engine contract, such as 1.2.0; set by New in Go
	Capability string `json:"capability_id"`       // such as thermo.radiation.grey_surface
	Version    string `json:"calculation_version"` // semver without build metadata
	Tool       string `json:"tool"`                // kebab case, such as grey-surface
	Group      string `json:"group"`               // page path /calc/<group>/<tool>
	Title      string `json:"title"`               // a few words
	Summary    string `json:"summary"`             // one sentence

	// Changes describes the changes since the previous version, with the reason. It has no line end, and at
	// most MaxChanges bytes. A minor or major version is published only with it.
	Changes string `json:"changes,omitempty"` // since the previous version, and why, in one or two sentences without a line end; a minor or major version needs it

	Keywords []string `json:"keywords,omitempty"` // search words for people who know neither the title nor the summary

	Inputs  []Field `json:"inputs"`  // in the order in which values are sent; set by New in Go
	Outputs []Field `json:"outputs"` // in the order in which values are answered; set by New in Go

	// Definition is the text from which each output follows by the inputs, as package
	// formula reads it. Formulas are its branches, and have no Expression or LaTeX of their own.
	Definition string `json:"definition,omitempty"` // the text of the formula

	Tables     []formula.Table `json:"tables,omitempty"`     // constant tables that the definition uses
	Uses       []Use           `json:"uses,omitempty"`       // published tables among them, with the columns that the definition uses, and calculations that it calls
	Evaluation Evaluation      `json:"evaluation,omitempty"` // of a definition that is the engine itself; "" if the engine is a program
	Document   string          `json:"document,omitempty"`   // the whole calculation as its author wrote it, if the definition is the engine

	Tolerances []Tolerance `json:"tolerances,omitempty"` // of outputs that need not be within 1e-12 of what the definition gives

	// Typesetting has the LaTeX of names in Definition that are not symbols of fields. A name
	// without an entry is typeset by rules.
	Typesetting map[string]string `json:"typesetting,omitempty"` // LaTeX of names in the definition that are not symbols of fields

	Formulas       []Formula   `json:"formulas,omitempty"`        // the first is the default; with a Definition they have an id and a label alone
	Assumptions    []string    `json:"assumptions,omitempty"`     // of every result, in sentences
	SignConvention string      `json:"sign_convention,omitempty"` // which direction is positive, in a sentence
	References     []Reference `json:"references,omitempty"`      // sources of formulas and constants

	Limits []Limit `json:"limits,omitempty"` // of validity, as data
	Plots  []Plot  `json:"plots,omitempty"`  // what Draw draws

	Errors   []string `json:"errors,omitempty"`   // codes that it can reject with, in addition to the codes of ranges
	Warnings []string `json:"warnings,omitempty"` // warning codes it can give

	// ReadOnlyPaths are the files and directories of the system that the engine needs to read,
	// such as an interpreter and its libraries. An engine in a sandbox sees no others.
	ReadOnlyPaths []string `json:"read_only_paths,omitempty"` // of the system that the engine needs to read

	// Verification is the author's claim. A claim that the evidence does not support cannot be
	// published. Nil claims nothing.
	Verification *verification.Record `json:"verification,omitempty"` // what the author claims; leave it out
}

// Evaluation is how a definition that is the engine itself takes its inputs. In both ways comparisons round both sides to
// 53 bits.
type Evaluation string

// The evaluations.
const (
	DecimalInputs  Evaluation = "decimal"  // an input is the shortest decimal that reads as its binary64 number: what people type
	Binary64Inputs Evaluation = "binary64" // an input is the binary64 number
)

// Use is a published table or calculation that a document uses.
type Use struct {
	Name    string `json:"name"`           // in the definition
	ID      string `json:"id"`             // such as data.sections.european_i
	Version string `json:"version"`        // semver
	Title   string `json:"title"`          // of the table or the calculation
	Digest  string `json:"digest"`         // of its description and rows, or its document, such as sha256:0a1b
	Spec    *Spec  `json:"spec,omitempty"` // of a calculation
}

// Formula is one formula that an engine evaluates. A result shows ID, Expression and Label.
type Formula struct {
	ID         string `json:"id"`              // what a result names it by
	Expression string `json:"expression"`      // in a line; made from the Definition where there is one
	Label      string `json:"label,omitempty"` // for people
	LaTeX      string `json:"latex,omitempty"` // also made from the Definition

	// Symbols has the symbols of fields, by name, for which this formula uses another symbol
	// than Field.Symbol.
	Symbols map[string]string `json:"symbols,omitempty"` // by name of a field, where there is no definition and its own symbol is not used
}

// Tolerance is the largest difference of an output from the Definition, with its reason.
type Tolerance struct {
	Output   string  `json:"output"`   // its name
	Relative float64 `json:"relative"` // above 1e-12, at most 1e-3
	Reason   string  `json:"reason"`   // what makes the engine's number differ
}

// Reference is a source of a formula or constant.
type Reference struct {
	Title string `json:"title"`           // author and work
	Where string `json:"where,omitempty"` // edition, table, case, section
}

// Limit is one bound of the validity of the formulas. Beyond it the result has a warning, but
// the inputs are not rejected. Illegal inputs are outside a [Range].
type Limit struct {
	Quantity string   `json:"quantity"`          // such as delta/length
	Min      *float64 `json:"minimum,omitempty"` // of the quantity; none if it is left out
	Max      *float64 `json:"maximum,omitempty"` // of the quantity; none if it is left out
	Unit     string   `json:"unit,omitempty"`    // of the quantity
	Warning  string   `json:"warning,omitempty"` // code of the warning beyond it
	Doc      string   `json:"doc,omitempty"`     // why, in a sentence
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
	Name        string   `json:"name,omitempty"`           // canonical; empty for array items
	Aliases     []string `json:"aliases,omitempty"`        // other names that callers may send
	Type        Type     `json:"type"`                     // of its value
	Unit        string   `json:"unit,omitempty"`           // SI unit of a number; "" if dimensionless
	Shown       string   `json:"shown_unit,omitempty"`     // the unit in which people use it, and pages show it first; a scale such as degC makes the number a point
	UnitBy      *UnitBy  `json:"unit_by,omitempty"`        // in place of unit, if that depends on an input
	Difference  bool     `json:"difference,omitempty"`     // of two temperatures: 10 degC are 10 K
	Required    bool     `json:"required,omitempty"`       // inputs: must be sent; outputs: always present
	Default     string   `json:"default,omitempty"`        // as JSON text of the field's type, unquoted
	Decimal     bool     `json:"decimal_string,omitempty"` // inputs: a number may be sent as text, and arrives unrounded
	Strict      bool     `json:"strict,omitempty"`         // inputs: a number with its unit in one text, such as "200 GPa", is refused
	Enum        []string `json:"enum,omitempty"`           // the values that a string may have
	EnumAliases []Alias  `json:"enum_aliases,omitempty"`   // other spellings of them
	Names       []Named  `json:"names,omitempty"`          // inputs: texts that stand for numbers, such as 4/0 for -3
	Unlisted    []string `json:"unlisted,omitempty"`       // of enum: not offered by forms, because another value has the same meaning
	Range       *Range   `json:"range,omitempty"`          // enforced by the engine, not by the schema
	Doc         string   `json:"doc,omitempty"`            // what it is, in a sentence
	Label       string   `json:"label,omitempty"`          // for forms; made from the name if empty
	Symbol      string   `json:"symbol,omitempty"`         // in the formulas, as LaTeX, such as w_0
	Advanced    bool     `json:"advanced,omitempty"`       // most callers leave it alone
	Headline    bool     `json:"headline,omitempty"`       // outputs: the number that people want first
	Money       bool     `json:"money,omitempty"`          // an amount in any currency, which has cents
	Example     *Example `json:"example,omitempty"`        // inputs: for people, in their units
	Presets     []string `json:"presets,omitempty"`        // inputs: columns of tables that give it, such as data.materials.metals#elastic_modulus
	Items       *Field   `json:"items,omitempty"`          // of an array: a field without a name
	Fields      []Field  `json:"fields,omitempty"`         // of an object
}

// Example is a number that an input can have. It is data, so that pages show it in the
// reader's units.
type Example struct {
	Number string `json:"number"`       // in the unit of the Spec
	Of     string `json:"of,omitempty"` // such as "for commercial steel"
}

// Named is a text that can be sent instead of a number.
type Named struct {
	Name  string  `json:"name"`  // what may be sent, byte for byte
	Value float64 `json:"value"` // the number that it means, in the unit of the field
}

// Alias is another spelling of an enum value.
type Alias struct {
	Alias string `json:"alias"` // what may be sent
	Value string `json:"value"` // the value of the enum that it means
}

// Range is an interval of legal numbers, and the code that rejects numbers outside. An end can
// be another input, such as the length of a beam for a position on it. In an object, an end
// can be another field of the same object.
type Range struct {
	Min      *float64 `json:"minimum,omitempty"`          // none if it is left out
	Max      *float64 `json:"maximum,omitempty"`          // none if it is left out
	MinInput string   `json:"minimum_input,omitempty"`    // the input that is the end, in place of minimum; in an object a field of it
	MaxInput string   `json:"maximum_input,omitempty"`    // the input that is the end, in place of maximum; in an object a field of it
	MinOpen  bool     `json:"minimum_excluded,omitempty"` // the end itself lies outside
	MaxOpen  bool     `json:"maximum_excluded,omitempty"` // the end itself lies outside
	Code     string   `json:"code"`                       // of the rejection of what lies outside
}

// Within returns r with fixed ends: an end that names an input becomes the number of that
// input. If the input has no number, the range is unbounded at that end.
func (r *Range) Within(inputs func(name string) (float64, bool)) *Range {
	bound := *r
	for _, end := range []struct {
		name string
		to   **float64
	}{{r.MinInput, &bound.Min}, {r.MaxInput, &bound.Max}} {
		if end.name == "" {
			continue
		}
		if x, ok := inputs(end.name); ok {
			*end.to = &x
		}
	}
	return &bound
}

// Contains reports whether x is in r. It ignores ends that name an input; see Within.
func (r *Range) Contains(x float64) bool {
	if r.Min != nil && (x < *r.Min || r.MinOpen && x == *r.Min) {
		return false
	}
	return r.Max == nil || x < *r.Max || x == *r.Max && !r.MaxOpen
}

// String returns the interval in mathematical notation, such as (0, 1].
func (r *Range) String() string {
	open, low := end(r.MinInput, r.Min, r.MinOpen, "([", "-inf")
	shut, high := end(r.MaxInput, r.Max, r.MaxOpen, ")]", "inf")
	return open + low + ", " + high + shut
}

func end(input string, number *float64, excluded bool, brackets, none string) (bracket, text string) {
	switch {
	case input != "":
		text = input
	case number != nil:
		text = formatShortest(*number)
	default:
		return brackets[:1], none
	}
	if excluded {
		return brackets[:1], text
	}
	return brackets[1:], text
}

// DefaultValue returns the default of f, or Absent if it has none. The error means that the
// default does not fit the field, which Validate reports too.
func (f *Field) DefaultValue() (value.Value, error) {
	if f.Default == "" {
		return value.Value{}, nil
	}
	switch f.Type {
	case TypeNumber, TypeInteger:
		x, err := parseFinite(f.Default)
		if err != nil {
			return value.Value{}, fmt.Errorf("default %q is not a finite number", f.Default)
		}
		return value.NumberOf(x), nil
	case TypeBoolean:
		if f.Default != "true" && f.Default != "false" {
			return value.Value{}, fmt.Errorf("default %q is not true or false", f.Default)
		}
		return value.BoolOf(f.Default == "true"), nil
	case TypeString:
		if len(f.Enum) > 0 && !slices.Contains(f.Enum, f.Default) {
			return value.Value{}, fmt.Errorf("default %q is not one of %s", f.Default, strings.Join(f.Enum, ", "))
		}
		return value.TextOf(f.Default), nil
	}
	return value.Value{}, fmt.Errorf("%s fields have no defaults", f.Type)
}

// EnumValue returns the enum value for a text that is a value or an alias.
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

// Named returns the number of a text that the field declares as a name.
func (f *Field) Named(text string) (x float64, ok bool) {
	for i := range f.Names {
		if f.Names[i].Name == text {
			return f.Names[i].Value, true
		}
	}
	return 0, false
}

// Input returns the index of the input with the name or alias, or -1 if there is none. It
// compares names byte for byte.
func (s *Spec) Input(name string) int {
	for i := range s.Inputs { // by index: a Field is large
		if f := &s.Inputs[i]; f.Name == name || slices.Contains(f.Aliases, name) {
			return i
		}
	}
	return -1
}

// Follows reports whether the Spec is for this version of the engine contract, such as 1.1.0,
// or for a later one. The requirements for a Spec depend on that.
func (s *Spec) Follows(contract string) bool { return compareVersions(s.Contract, contract) >= 0 }

// compareVersions compares two versions of the contract. A text that is not a version is less
// than any version.
func compareVersions(a, b string) int {
	parse := func(version string) (v [3]int) {
		_, _ = fmt.Sscanf(version, "%d.%d.%d", &v[0], &v[1], &v[2])
		return v
	}
	x, y := parse(a), parse(b)
	return slices.Compare(x[:], y[:])
}

// Formula returns the index of the formula with the id, or -1 if there is none. An empty id is
// the first formula.
func (s *Spec) Formula(id string) int {
	for i := range s.Formulas {
		if id == "" || s.Formulas[i].ID == id {
			return i
		}
	}
	return -1
}

// MayReject reports whether an engine with this Spec may reject inputs with the code.
func (s *Spec) MayReject(code string) bool {
	switch code {
	case CodeMissingRequiredInput, CodeConflictingInputs, CodeNonFiniteResult:
		return true
	case CodeUndefined, CodeUndecided:
		if s.Evaluation != "" {
			return true
		}
	case CodeStepRejected:
		return s.hasSteps()
	}
	return slices.Contains(s.Codes(), code)
}

// MayWarn reports whether an engine with this Spec may give a warning with the code.
func (s *Spec) MayWarn(code string) bool {
	return code == WarnResultUnderflow || code == WarnResultSubnormal || slices.Contains(s.Warnings, code) ||
		slices.ContainsFunc(s.Uses, func(u Use) bool { return u.Spec != nil && u.Spec.MayWarn(code) })
}

// Codes returns the error codes that the engine declares, including the codes of its ranges and of its steps.
func (s *Spec) Codes() []string {
	codes := rangeCodes(slices.Clone(s.Errors), s.Inputs)
	if s.hasSteps() {
		codes = append(codes, CodeStepRejected)
	}
	for _, u := range s.Uses {
		if u.Spec == nil {
			continue
		}
		for _, code := range u.Spec.Codes() {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// hasSteps reports whether the definition calls other calculations.
func (s *Spec) hasSteps() bool {
	return slices.ContainsFunc(s.Uses, func(u Use) bool { return u.Spec != nil })
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
