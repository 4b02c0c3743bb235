package compare

import (
	"reflect"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Reason is why inputs of one release cannot be given to another one.
type Reason string

// The reasons.
const (
	Unknown Reason = "unknown"  // the newer release has no such input
	Needed  Reason = "required" // the newer release requires an input that was not sent
	Other   Reason = "form"     // the newer release wants another type, unit or form
	Choice  Reason = "choice"   // the newer release does not know the choice
	Default Reason = "default"  // the value is a default that the newer release has changed: it is unknown whether it was sent
)

var reasonTexts = map[Reason]string{
	Unknown: "the newer version has no such input",
	Needed:  "the newer version requires it",
	Other:   "the newer version wants it in another form or unit",
	Choice:  "the newer version does not know the choice",
	Default: "the newer version has another default, and it is unknown whether the value was sent",
}

// Words returns the reason in words.
func (r Reason) Words() string { return reasonTexts[r] }

// Obstacle is the first input that cannot be given to a newer release, with the reason.
type Obstacle struct {
	Field  string `json:"field"`
	Reason Reason `json:"reason"`
}

// Inputs converts inputs of an older release to inputs of a newer one, and never guesses. It
// is safe for concurrent use.
type Inputs struct {
	size  int
	pairs []carried
}

// carried is how one input is converted.
type carried struct {
	Pair
	alike    bool        // both have one form
	was, now value.Value // the defaults
}

// NewInputs returns the conversion of inputs of the one Spec to the other.
func NewInputs(was, is *sdk.Spec) *Inputs {
	in := &Inputs{size: len(is.Inputs)}
	for _, p := range Match(renamed(was.Inputs, is.Inputs), is.Inputs) {
		c := carried{Pair: p}
		if p.Was != nil {
			c.was, _ = p.Was.DefaultValue() // Validate has checked published Specs
		}
		if p.Is != nil {
			c.now, _ = p.Is.DefaultValue()
		}
		c.alike = p.Was != nil && p.Is != nil && alike(p.Was, p.Is)
		in.pairs = append(in.pairs, c)
	}
	return in
}

// renamed returns the older fields with the names in the newer Spec. A field can be an alias
// there.
func renamed(was, is []sdk.Field) []sdk.Field {
	list := slices.Clone(was)
	for i := range list {
		named := func(name string) bool {
			return slices.ContainsFunc(list, func(f sdk.Field) bool { return f.Name == name })
		}
		k := slices.IndexFunc(is, func(f sdk.Field) bool {
			return f.Name == list[i].Name || slices.Contains(f.Aliases, list[i].Name) && !named(f.Name)
		})
		if k >= 0 {
			list[i].Name = is[k].Name
		}
	}
	return list
}

// alike reports whether every value of one field has a form of the other.
func alike(was, is *sdk.Field) bool {
	if was.Type != is.Type || was.Unit != is.Unit || !reflect.DeepEqual(was.UnitBy, is.UnitBy) || was.Difference != is.Difference ||
		was.Decimal != is.Decimal || (was.Items == nil) != (is.Items == nil) || len(was.Fields) != len(is.Fields) {
		return false
	}
	if was.Items != nil && !(alike(was.Items, is.Items) && slices.Equal(was.Items.Enum, is.Items.Enum)) {
		return false
	}
	for i := range was.Fields {
		a, b := &was.Fields[i], &is.Fields[i]
		if a.Name != b.Name || a.Required != b.Required || a.Default != b.Default || !slices.Equal(a.Enum, b.Enum) || !alike(a, b) {
			return false
		}
	}
	return true
}

// Carry returns the inputs of an engine for the newer release, or why that is impossible.
func (in *Inputs) Carry(inputs value.Values) (value.Values, *Obstacle) {
	out := make(value.Values, in.size)
	for i := range in.pairs {
		p := &in.pairs[i]
		v, _ := p.Values(inputs, nil)
		if reason := p.obstacle(v); reason != "" {
			return nil, &Obstacle{p.name(), reason}
		}
		if p.Is == nil {
			continue
		}
		switch choice, _ := p.Is.EnumValue(v.Text()); {
		case v.Kind() == value.Absent:
			v = p.now
		case len(p.Is.Enum) > 0:
			v = value.TextOf(choice)
		}
		out[p.is] = v
	}
	return out, nil
}

func (p *carried) name() string {
	if p.Was != nil {
		return p.Was.Name
	}
	return p.Is.Name
}

// obstacle returns why the newer release cannot be given the value, "" if it can.
func (p *carried) obstacle(v value.Value) Reason {
	switch {
	case v.Kind() == value.Absent:
		if p.Is != nil && p.Is.Required {
			return Needed
		}
	case p.Is == nil:
		return Unknown
	case !p.alike:
		return Other
	case p.was.Kind() != value.Absent && v.Equal(p.was) && !p.was.Equal(p.now):
		return Default
	case len(p.Is.Enum) > 0:
		if _, known := p.Is.EnumValue(v.Text()); !known {
			return Choice
		}
	}
	return ""
}
