package system

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// typing is a calculation as a user types it: the text of each input.
type typing struct {
	tool, page string
	fields     []sdk.Field
	texts      map[string][]string // one text, or the texts of a list
}

// decimals returns the calculations of the library that take decimal strings. Each appears the given number of
// times, with random numbers.
func (h *server) decimals(t *testing.T, random *rand.Rand, times int) (list []typing) {
	t.Helper()
	var catalog struct {
		Capabilities []struct{ Tool string }
	}
	h.getJSON(t, "/api/v1/calc", &catalog)
	capabilities := 0
	for _, c := range catalog.Capabilities {
		var described struct {
			Spec  sdk.Spec
			Links struct{ Page string }
		}
		h.getJSON(t, "/api/v1/calc/"+c.Tool, &described)
		if !slices.ContainsFunc(described.Spec.Inputs, takesDecimals) {
			continue
		}
		capabilities++
		for range times {
			list = append(list, typing{c.Tool, "/calc/" + described.Spec.Group + "/" + c.Tool, described.Spec.Inputs, randomTexts(random, described.Spec.Inputs)})
		}
	}
	if capabilities != 17 {
		t.Errorf("%d capabilities take decimal strings, want 17", capabilities)
	}
	return list
}

func takesDecimals(f sdk.Field) bool { return f.Decimal || f.Items != nil && f.Items.Decimal }

// randomTexts returns texts for the inputs.
func randomTexts(random *rand.Rand, fields []sdk.Field) map[string][]string {
	texts := map[string][]string{}
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Type == sdk.TypeArray:
			for range 4 {
				texts[f.Name] = append(texts[f.Name], literal(random, f))
			}
		case f.Decimal:
			texts[f.Name] = []string{literal(random, f)}
		case len(f.Enum) > 0:
			texts[f.Name] = []string{f.Enum[random.IntN(len(f.Enum))]}
		case f.Type == sdk.TypeInteger:
			texts[f.Name] = []string{fmt.Sprint(1 + random.IntN(40))}
		}
	}
	return texts
}

// literal returns a decimal that a user might write, with few digits or with more than binary64 holds. If the
// value must be greater than -1, it is a small fraction.
func literal(random *rand.Rand, f *sdk.Field) string {
	digits := func(most int) (text string) {
		for range 1 + random.IntN(most) {
			text += fmt.Sprint(random.IntN(10))
		}
		return text
	}
	if f.Range != nil {
		return "0.00" + digits(25) + "1"
	}
	whole := strings.TrimLeft(digits(5), "0")
	if whole == "" {
		whole = "0"
	}
	text := whole + "." + digits([]int{1, 3, 30}[random.IntN(3)])
	if random.IntN(4) == 0 {
		text += fmt.Sprintf("e%d", random.IntN(9)-4)
	}
	if random.IntN(8) == 0 {
		text = "-" + text
	}
	return text
}

// isBare reports whether the input is a number in JSON.
func isBare(f *sdk.Field) bool {
	return f.Decimal || f.Type == sdk.TypeInteger || f.Items != nil && f.Items.Decimal
}

// object returns the calculation as JSON, with the decimals as strings or as bare numbers.
func (q *typing) object(bare bool) string {
	var members []string
	for i := range q.fields {
		f, texts := &q.fields[i], slices.Clone(q.texts[q.fields[i].Name])
		if len(texts) == 0 {
			continue
		}
		for k := range texts {
			if !isBare(f) || takesDecimals(*f) && !bare {
				texts[k] = fmt.Sprintf("%q", texts[k])
			}
		}
		value := strings.Join(texts, ",")
		if f.Type == sdk.TypeArray {
			value = "[" + value + "]"
		}
		members = append(members, fmt.Sprintf("%q:%s", f.Name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// query returns the calculation as the query of a page.
func (q *typing) query() string {
	values := url.Values{}
	for name, texts := range q.texts {
		values.Set(name, strings.Join(texts, " "))
	}
	return values.Encode()
}

// cells returns the names of the typed inputs, in order, and their texts.
func (q *typing) cells() (names, cells []string) {
	for i := range q.fields {
		if texts := q.texts[q.fields[i].Name]; len(texts) > 0 {
			names, cells = append(names, q.fields[i].Name), append(cells, strings.Join(texts, ","))
		}
	}
	return names, cells
}
