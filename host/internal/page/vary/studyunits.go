package vary

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	found "github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// inUnits returns the result of a study in the units of the reader. A number that binary64 cannot have in them keeps the result in
// the units of the Spec.
func inUnits(result *found.Result, of *show.Reading) *found.Result {
	if shown, ok := result.In(readerUnits{of}); ok {
		return shown
	}
	return result
}

// readerUnits implements [found.Units] with the units of a page.
type readerUnits struct{ of *show.Reading }

func (u readerUnits) Input(q *found.Quantity, _ float64) show.Unit {
	at := u.of.Spec.Input(q.Name)
	if at < 0 || u.of.Spec.Inputs[at].Unit != q.Unit {
		return show.Unit{ID: q.Unit}
	}
	return u.of.InputIn(at, 0)
}

func (u readerUnits) Output(q *found.Quantity, largest float64) show.Unit {
	at := slices.IndexFunc(u.of.Spec.Outputs, func(f sdk.Field) bool { return f.Name == q.Name && f.Unit == q.Unit })
	if at < 0 {
		return show.Unit{ID: q.Unit}
	}
	return u.of.ShownIn(&u.of.Spec.Outputs[at], largest)
}

func (u readerUnits) Texts() calc.Reader { return u.of.Steps() }

// settled returns the controls of a study as a URL has them: plain numbers with units. A number without a unit is in the unit
// in which the page shows its quantity. Texts that are not numbers stay, and the study explains them.
func settled(asked map[string]string, a *calc.Answer, of *show.Reading, language address.Language) map[string]string {
	level := typed.Arithmetic
	if language().Grouped {
		level |= typed.CommaGroups
	}
	list := map[string]string{}
	for name, text := range asked {
		list[name] = text
		f, unit := studiedField(name, asked, a, of)
		if f == nil || text == "" {
			continue
		}
		if r, err := typed.Read(f, text, level); err == nil {
			if r.Unit != "" {
				unit = r.Unit
			}
			list[name] = strings.TrimSpace(r.Literal + " " + unit)
		}
	}
	return list
}

// studiedField returns the field with the quantity of a control, and the unit of its bare numbers. It returns nil if the control
// has no quantity.
func studiedField(name string, asked map[string]string, a *calc.Answer, of *show.Reading) (f *sdk.Field, unit string) {
	input := ""
	switch {
	case name == "first", name == "last":
		input = asked["vary"]
	case name == "from", name == "to":
		input = asked["unknown"]
	case strings.HasPrefix(name, "width."):
		input = strings.TrimPrefix(name, "width.")
	case name == "goal":
		at := slices.IndexFunc(of.Spec.Outputs, func(f sdk.Field) bool { return f.Name == asked["output"] })
		if at < 0 || of.Spec.Outputs[at].UnitBy != nil {
			return nil, ""
		}
		shown := resultIn(a, of, at)
		return &of.Spec.Outputs[at], shown.ID
	}
	at := of.Spec.Input(input)
	if at < 0 || of.Spec.Inputs[at].UnitBy != nil {
		return nil, ""
	}
	shown := of.InputIn(at, 0)
	return &of.Spec.Inputs[at], shown.ID
}

// resultIn returns the unit in which pages show an output of the answer. The size of its number decides.
func resultIn(a *calc.Answer, of *show.Reading, at int) show.Unit {
	size := 0.0
	if v := a.Success.Outcome.Result[at]; v.Kind() == value.Number {
		size = v.Number()
	}
	return of.ShownIn(&of.Spec.Outputs[at], size)
}
