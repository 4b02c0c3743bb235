package sdk

import (
	"errors"
	"fmt"
	"math"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/internal/pattern"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Reserved lists the names with a special meaning in a request body. They cannot be the name
// or alias of an input.
var Reserved = []string{"inputs", "calculation_version", "id", "tool", "tool_id", "capability_id"}

var (
	capabilityForm = pattern.New(`^[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+(_[a-z0-9]+)*)+$`)
	toolForm       = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	fieldForm      = pattern.New(`^[A-Za-z][A-Za-z0-9_]*$`)
	plotForm       = pattern.New(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	codeForm       = pattern.New(`^[A-Z][A-Z0-9_]*$`)
	versionForm    = pattern.New(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)` +
		`(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?$`)
)

// IsCapability reports whether id has the form of a capability id.
func IsCapability(id string) bool { return len(id) <= 200 && capabilityForm.MatchString(id) }

// IsTool reports whether id has the form of a tool id.
func IsTool(id string) bool { return len(id) <= 100 && toolForm.MatchString(id) }

// Validate returns an error unless s is a Spec that may be published. It joins all problems in
// one error.
func (s *Spec) Validate() error {
	return errors.Join(s.problems()...)
}

func (s *Spec) problems() []error {
	_, errs := s.validate()
	return slices.Concat(errs, s.checkTexts(), s.checkSteps())
}

// checkTexts checks that each text has only visible characters.
func (s *Spec) checkTexts() []error {
	other := *s
	other.Definition = "" // package formula reads it
	other.Uses = slices.Clone(s.Uses)
	for i := range other.Uses {
		other.Uses[i].Spec = nil // checkSteps checks it
	}
	return visible.CheckEach(&other, "document")
}

// checkSteps checks the Specs of the calculations that the definition calls.
func (s *Spec) checkSteps() (errs []error) {
	if !s.nestsAtMost(MaxNest) {
		return []error{fmt.Errorf("more than %d calculations call one another", MaxNest)}
	}
	for i := range s.Uses {
		if s.Uses[i].Spec == nil {
			continue
		}
		for _, err := range s.Uses[i].Spec.problems() {
			errs = append(errs, fmt.Errorf("uses[%d].spec.%w", i, err))
		}
	}
	return errs
}

// MaxNest is how many calculations may call one another.
const MaxNest = 4

func (s *Spec) nestsAtMost(n int) bool {
	return !slices.ContainsFunc(s.Uses, func(u Use) bool { return u.Spec != nil && (n == 0 || !u.Spec.nestsAtMost(n-1)) })
}

// checkChoices checks that callers can see all characters of the texts that they can send.
func checkChoices(fields []Field) (errs []error) {
	for i := range fields {
		f := &fields[i]
		choices := append(slices.Clone(f.Enum), f.Default)
		for _, a := range f.EnumAliases {
			choices = append(choices, a.Alias)
		}
		for _, text := range choices {
			if err := visible.Check(text); err != nil {
				errs = append(errs, fmt.Errorf("a choice of %q: %w", f.Name, err))
			}
		}
		if f.Items != nil {
			errs = append(errs, checkChoices([]Field{*f.Items})...)
		}
		errs = append(errs, checkChoices(f.Fields)...)
	}
	return errs
}

// validate returns the problems of s, and the formulas that are made from the Definition.
func (s *Spec) validate() (made []formula.Expressed, errs []error) {
	fields := s.checkInputsAndOutputs()
	errs = slices.Concat(
		s.checkNames(), fields, s.checkBounds(), s.checkUnitsBy(), checkPlots(s.Plots),
		s.checkLimits(), s.checkCodes(), s.checkPaths(), s.checkFormulas(), s.checkChanges(), s.checkNumberNames(),
	)
	if len(fields) == 0 {
		var found []error
		made, found = s.checkDefinition()
		errs = append(errs, found...)
	}
	return made, errs
}

// checkNames checks the ids and names of the capability.
func (s *Spec) checkNames() []error {
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
	return errs
}

// checkChanges checks the text about the changes since the previous version.
func (s *Spec) checkChanges() []error {
	switch {
	case s.Changes == "":
		return nil
	case s.Contract != "" && !s.Follows("1.1.0"):
		return []error{fmt.Errorf("spec_version %s has no Changes: send 1.1.0", s.Contract)}
	case len(s.Changes) > MaxChanges:
		return []error{fmt.Errorf("changes have %d bytes: at most %d, in one or two sentences", len(s.Changes), MaxChanges)}
	case strings.TrimSpace(s.Changes) == "":
		return []error{errors.New("changes are blank: say what changed and why, or leave them out")}
	}
	return nil
}

func (s *Spec) checkInputsAndOutputs() []error {
	var errs []error
	if len(s.Outputs) == 0 {
		errs = append(errs, errors.New("the Out struct has no field with a name tag"))
	}
	errs = append(errs, checkFields("input", s.Inputs)...)
	errs = append(errs, checkFields("output", s.Outputs)...)
	if hasDecimal(s.Outputs) {
		errs = append(errs, errors.New("an output is an sdk.Decimal: results are numbers; use float64"))
	}
	errs = append(errs, checkHeadline(s.Inputs, s.Outputs)...)
	for _, name := range inputNames(s.Inputs) {
		if slices.Contains(Reserved, name) {
			errs = append(errs, fmt.Errorf("input name %q is reserved for requests: use another", name))
		}
	}
	return errs
}

// checkHeadline returns an error for a headline that is not an output with a number, or is not
// the only headline.
func checkHeadline(inputs, outputs []Field) []error {
	var errs []error
	for _, f := range inputs {
		if f.Headline {
			errs = append(errs, fmt.Errorf("input %q is a headline: only an output is one", f.Name))
		}
	}
	first := ""
	for _, f := range outputs {
		switch {
		case !f.Headline:
		case f.Type != TypeNumber && f.Type != TypeInteger:
			errs = append(errs, fmt.Errorf("output %q is a headline: only a number is one", f.Name))
		case first != "":
			errs = append(errs, fmt.Errorf("outputs %q and %q are headlines: mark one", first, f.Name))
		default:
			first = f.Name
		}
	}
	return errs
}

func (s *Spec) checkLimits() []error {
	var errs []error
	for _, l := range s.Limits {
		if l.Quantity == "" || l.Min == nil && l.Max == nil {
			errs = append(errs, fmt.Errorf("limit %q needs a Quantity and a Min or Max", l.Quantity))
		}
		if l.Warning != "" && !slices.Contains(s.Warnings, l.Warning) {
			errs = append(errs, fmt.Errorf("limit of %s names the warning %q, which Warnings does not declare", l.Quantity, l.Warning))
		}
	}
	return errs
}

func (s *Spec) checkCodes() []error {
	var errs []error
	for _, code := range slices.Concat(s.Errors, s.Warnings) {
		if !codeForm.MatchString(code) {
			errs = append(errs, fmt.Errorf("code %q is not upper-case words joined by underscores", code))
		}
	}
	return errs
}

func (s *Spec) checkPaths() []error {
	var errs []error
	for _, path := range s.ReadOnlyPaths {
		if !strings.HasPrefix(path, "/") || pathpkg.Clean(path) != path || path == "/" || visible.Check(path) != nil {
			errs = append(errs, fmt.Errorf("read-only path %q is not a clean absolute path below the root, such as /usr/lib", path))
		}
	}
	return errs
}

func (s *Spec) checkFormulas() []error {
	var errs []error
	for i, f := range s.Formulas {
		if f.ID == "" || f.Expression == "" && s.Definition == "" || s.Formula(f.ID) != i {
			errs = append(errs, fmt.Errorf("formula %d needs an Expression and an ID of its own", i))
		}
		for name := range f.Symbols {
			if !hasField(s, name) {
				errs = append(errs, fmt.Errorf("formula %s has a symbol for %q, which is not a field", f.ID, name))
			}
		}
	}
	return errs
}

// checkBounds returns an error for each end of a range that does not name another number. At
// the top level that is an input, and in an object a field of the object.
func (s *Spec) checkBounds() []error { return boundsAmong("input", "the inputs", s.Inputs) }

func boundsAmong(what, among string, fields []Field) []error {
	var errs []error
	for i := range fields {
		f := &fields[i]
		var ends []string
		if f.Range != nil {
			ends = []string{f.Range.MinInput, f.Range.MaxInput}
		}
		for _, name := range ends {
			isNumber := func(other Field) bool {
				return other.Name == name && name != f.Name && (other.Type == TypeNumber || other.Type == TypeInteger)
			}
			if name != "" && !slices.ContainsFunc(fields, isNumber) {
				errs = append(errs, fmt.Errorf("range of %s %q ends at %q, which is not another number among %s", what, f.Name, name, among))
			}
		}
		inner := f
		for inner.Items != nil {
			inner = inner.Items
		}
		errs = append(errs, boundsAmong("field", "the fields next to it", inner.Fields)...)
	}
	return errs
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
	for _, value := range f.Unlisted {
		if !slices.Contains(f.Enum, value) || value == f.Default || len(f.Unlisted) >= len(f.Enum) {
			bad("unlisted value %q is not one of several values, or is the default", value)
		}
	}
	if own, ok := units.Lookup(f.Unit); f.Difference && f.Type != TypeArray && (!ok || own.Quantity != "temperature") {
		bad("a difference is of two temperatures: give it the unit K")
	}
	isNumber := f.Type == TypeNumber || f.Type == TypeInteger
	if f.Strict && f.Unit == "" && f.UnitBy == nil {
		bad("strict is for numbers with a unit: others take no text anyway")
	}
	errs = append(errs, checkNamesOf(what, f, isNumber)...)
	if f.Money && (!isNumber || f.Unit != "") {
		bad("money is a number without a unit")
	}
	if f.Example != nil {
		if _, err := parseFinite(f.Example.Number); err != nil || !isNumber {
			bad("the example %q is not a number that the field may have", f.Example.Number)
		}
	}
	if f.Default != "" {
		if _, err := f.DefaultValue(); err != nil {
			bad("%v", err)
		}
	}
	for _, column := range f.Presets {
		if table, name, _ := strings.Cut(column, "#"); f.Type != TypeNumber || !strings.HasPrefix(table, "data.") || !capabilityForm.MatchString(table) || !fieldForm.MatchString(name) {
			bad("presets %q is not a column of a table, such as data.materials.metals#elastic_modulus, or the field is not a number", column)
		}
	}
	if f.Range != nil && !codeForm.MatchString(f.Range.Code) {
		bad("range code %q is not upper-case words joined by underscores", f.Range.Code)
	}
	return errs
}

// MaxNames bounds [Field].Names.
const MaxNames = 100

// nameForm is the form of a name of a number: visible ASCII characters, with single blanks
// between them.
var nameForm = pattern.New(`^[!-~]+( [!-~]+)*$`)

// numberForm is the form of a JSON number.
var numberForm = pattern.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// maxNameLength is the length of the longest name of a number, in bytes.
const maxNameLength = 40

// checkNumberNames checks that the Spec has names of numbers only if its contract allows them.
func (s *Spec) checkNumberNames() []error {
	var named func(f Field) bool
	named = func(f Field) bool {
		return len(f.Names) > 0 || f.Items != nil && named(*f.Items) || slices.ContainsFunc(f.Fields, named)
	}
	switch {
	case slices.ContainsFunc(s.Outputs, named):
		return []error{errors.New("an output has names: they are for inputs")}
	case s.Contract != "" && !s.Follows("1.2.0") && slices.ContainsFunc(s.Inputs, named):
		return []error{fmt.Errorf("spec_version %s has no names of numbers: send 1.2.0", s.Contract)}
	}
	return nil
}

// checkNamesOf checks the texts that mean numbers of a field.
func checkNamesOf(what string, f *Field, isNumber bool) []error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s %q: %s", what, f.Name, fmt.Sprintf(format, args...)))
	}
	if len(f.Names) > 0 && !isNumber || len(f.Names) > MaxNames {
		bad("names are for numbers, and at most %d", MaxNames)
	}
	seen := map[string]bool{}
	for _, n := range f.Names {
		switch {
		case !nameForm.MatchString(n.Name) || len(n.Name) > maxNameLength:
			bad("the name %q is not a short text of visible ASCII characters", n.Name)
		case seen[n.Name]:
			bad("the name %q is used twice", n.Name)
		case numberForm.MatchString(n.Name):
			bad("the name %q is a number", n.Name)
		case f.Type == TypeInteger && n.Value != math.Trunc(n.Value), n.Value-n.Value != 0, f.Range != nil && !f.Range.Contains(n.Value):
			bad("the name %q stands for %v, which the field does not take", n.Name, n.Value)
		}
		seen[n.Name] = true
	}
	return errs
}
