package rules

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// aText is a text for people, with its place.
type aText struct {
	at   report.Subject
	text string
}

// sentences returns the texts of a Spec that consist of sentences. It leaves out empty ones.
func sentences(s *sdk.Spec) []aText {
	var list []aText
	add := func(path, text string) {
		if text != "" {
			list = append(list, aText{ofSpec.At(path), text})
		}
	}
	add("summary", s.Summary)
	add("changes", s.Changes)
	add("sign_convention", s.SignConvention)
	for i, text := range s.Assumptions {
		add(fmt.Sprintf("assumptions.%d", i), text)
	}
	for i := range s.Limits {
		add(fmt.Sprintf("limits.%d.doc", i), s.Limits[i].Doc)
	}
	for _, p := range s.Plots {
		add("plot "+p.ID, p.Summary)
	}
	eachField(s, func(path string, f *sdk.Field) { add(path, f.Doc) })
	return list
}

// names returns the texts of a Spec that are not sentences.
func names(s *sdk.Spec) []aText {
	list := []aText{{ofSpec.At("title"), s.Title}}
	for i, k := range s.Keywords {
		list = append(list, aText{ofSpec.At(fmt.Sprintf("keywords.%d", i)), k})
	}
	for i, r := range s.References {
		list = append(list, aText{ofSpec.At(fmt.Sprintf("references.%d", i)), r.Title + " " + r.Where})
	}
	for _, f := range s.Formulas {
		list = append(list, aText{ofSpec.At("formula " + f.ID), f.Label})
	}
	for _, p := range s.Plots {
		list = append(list, aText{ofSpec.At("plot " + p.ID), p.Title})
	}
	eachField(s, func(path string, f *sdk.Field) { list = append(list, aText{ofSpec.At(path), f.Label}) })
	return list
}

// eachField calls look with each input and output, including fields inside lists and objects.
func eachField(s *sdk.Spec, look func(path string, f *sdk.Field)) {
	var walk func(path string, fields []sdk.Field)
	walk = func(path string, fields []sdk.Field) {
		for i := range fields {
			f := &fields[i]
			look(path+f.Name, f)
			walk(path+f.Name+".", f.Fields)
			if f.Items != nil {
				walk(path+f.Name, []sdk.Field{*f.Items})
			}
		}
	}
	walk("input ", s.Inputs)
	walk("output ", s.Outputs)
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|TBD)\b|(?i:lorem ipsum)`)

// judgeOwn looks for texts from the example of a new engine, and for marks of unfinished
// texts. It accepts them in a version 0.x, which is a draft.
func judgeOwn(o *evidence, j *judgement) {
	s := o.Spec
	if !s.Follows("1.1.0") || strings.HasPrefix(s.Version, "0.") {
		return
	}
	own := func(path string, left bool, text string) {
		j.check(!left, ofSpec.At(path), quote(text)+", from the example of a new engine", "a text about this engine, or a version 0.x")
	}
	example := &requirements.Example
	own("summary", s.Summary == example.Summary, s.Summary)
	own("keywords", slices.Equal(s.Keywords, example.Keywords), strings.Join(s.Keywords, ", "))
	for i, text := range s.Assumptions {
		own(fmt.Sprintf("assumptions.%d", i), text == example.Assumption, text)
	}
	for i, r := range s.References {
		own(fmt.Sprintf("references.%d", i), r.Title == example.Reference, r.Title)
	}
	for _, f := range s.Formulas {
		own("formula "+f.ID, f.ID == example.Formula, f.ID)
	}
	for _, t := range slices.Concat(sentences(s), names(s)) {
		mark := unfinished.FindString(t.text)
		j.check(mark == "", t.at, quote(mark), "a text that is finished, or a version 0.x")
	}
}

func judgeReferences(o *evidence, j *judgement) {
	if !o.Spec.Follows("1.1.0") {
		return
	}
	j.check(len(o.Spec.References) > 0, ofSpec.At("references"), "none", "the source of the formula or of its constants, with edition and place")
	for i, r := range o.Spec.References {
		j.check(strings.TrimSpace(r.Title) != "", ofSpec.At(fmt.Sprintf("references.%d", i)), "no title", "the title of the source")
	}
}

func judgeKeywords(o *evidence, j *judgement) {
	if !o.Spec.Follows("1.1.0") {
		return
	}
	j.check(len(o.Spec.Keywords) > 0, ofSpec.At("keywords"), "none", "words by which people search who do not know the title")
	seen := map[string]bool{}
	for i, k := range o.Spec.Keywords {
		word := strings.ToLower(strings.TrimSpace(k))
		j.check(word != "" && !seen[word], ofSpec.At(fmt.Sprintf("keywords.%d", i)), quote(k), "a word, once")
		seen[word] = true
	}
}

// judgeSentences looks at the texts of the Spec, and at warnings. An assumption of a result may
// be a phrase: another punctuation would change the answers of a published version.
func judgeSentences(o *evidence, j *judgement) {
	if !o.Spec.Follows("1.1.0") {
		return
	}
	list := sentences(o.Spec)
	o.outcomes(func(v *vector.Vector, a *observe.Answer) {
		for _, w := range a.Outcome.Warnings {
			list = append(list, aText{about(v).At("warning " + w.Code), w.Detail}, aText{about(v).At("suggestion of " + w.Code), w.Suggestion})
		}
	})
	for _, t := range list {
		j.check(ends(t.text), t.at, quote(t.text), "a sentence, with a full stop at its end")
	}
}

// ends reports whether a text is empty or ends as a sentence does.
func ends(text string) bool {
	open := strings.TrimRight(text, `)]"'”’`)
	return text == "" || open != "" && strings.ContainsRune(".!?", rune(open[len(open)-1]))
}

// judgeLaTeX checks that pages can show the LaTeX texts of the engine. The formulas of a
// Definition are generated from it, and need no check.
func judgeLaTeX(o *evidence, j *judgement) {
	s := o.Spec
	if !s.Follows("1.1.0") {
		return
	}
	symbol := func(path, latex string) {
		if latex != "" {
			j.check(formula.SymbolMathML(latex) != "", ofSpec.At(path), quote(latex), `letters, Greek letters, indexes, exponents, accents and \mathrm, such as \sigma_{x}`)
		}
	}
	eachField(s, func(path string, f *sdk.Field) { symbol(path, f.Symbol) })
	for _, p := range s.Plots {
		symbol("plot "+p.ID+", x", p.X.Symbol)
		symbol("plot "+p.ID+", y", p.Y.Symbol)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Typesetting)) {
		symbol("typesetting of "+name, s.Typesetting[name])
	}
	for _, f := range s.Formulas {
		for _, name := range slices.Sorted(maps.Keys(f.Symbols)) {
			symbol("formula "+f.ID+", symbol of "+name, f.Symbols[name])
		}
		if s.Definition == "" && f.LaTeX != "" {
			j.check(balanced(f.LaTeX), ofSpec.At("formula "+f.ID), quote(f.LaTeX), "LaTeX in which each brace is closed")
		}
	}
}

// balanced reports whether each brace is closed. It ignores escaped braces such as \{.
func balanced(latex string) bool {
	depth := 0
	for i := 0; i < len(latex) && depth >= 0; i++ {
		switch latex[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	return depth == 0
}
