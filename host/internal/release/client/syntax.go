package client

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/slipstick/slipstick/sdk"
)

// syntax describes the differences between languages, in addition to their templates.
type syntax struct {
	reserved []string                                            // names that the template uses
	function func(m *model, words []string) string               // name of a function
	field    func(name string, others names) string              // name of a record field
	list     func(item string) string                            // type of a list
	choice   func(m *model, name string, values []string) string // type of a text with fixed values
	quantity func(q *quantity, f *sdk.Field, input bool) string  // type of a number with a unit
	plain    func(f *sdk.Field, input bool) string               // all other types
}

var languages = map[Language]*syntax{
	Go: {
		reserved: strings.Fields("Answer Client Decimal DecimalQuantity LockError New Options Problem Quantity Some Warning"),
		function: func(m *model, words []string) string { return m.functions.free(camel(words), "*", "*Batch") },
		field:    func(name string, others names) string { return others.free(camel(split(name)), "*") },
		list:     func(item string) string { return "[]" + strings.TrimPrefix(item, "*") },
		choice:   goChoice,
		quantity: func(q *quantity, f *sdk.Field, input bool) string {
			if f.Decimal && input {
				return q.Name + "Decimal"
			}
			return q.Name
		},
		plain: goPlain,
	},
	TypeScript: {
		reserved: strings.Fields(`Answer Batch Client Decimal DecimalQuantity Line LockError Locked Measured Options Problem ProblemBody
			Quantities Quantity Row Rows Service Success Units Warning constructor`),
		function: func(m *model, words []string) string {
			name := camel(words)
			return m.functions.free(strings.ToLower(name[:1])+name[1:], "*", "*Batch")
		},
		field: func(name string, _ names) string { return name },
		list: func(item string) string {
			if strings.Contains(item, " ") {
				item = "(" + item + ")"
			}
			return "readonly " + item + "[]"
		},
		choice: func(_ *model, _ string, values []string) string {
			if line := literals(values, " | "); len(line) <= longest {
				return line
			}
			return "\n    | " + literals(values, "\n    | ")
		},
		quantity: func(q *quantity, f *sdk.Field, input bool) string {
			switch {
			case !input:
				return "Quantity<" + quote(f.Unit) + ">"
			case f.Decimal:
				return q.Name + "Decimal"
			}
			return q.Name
		},
		plain: func(f *sdk.Field, input bool) string {
			switch {
			case f.Type == sdk.TypeString:
				return "string"
			case f.Type == sdk.TypeBoolean:
				return "boolean"
			case f.Decimal && input:
				return "Decimal"
			}
			return "number"
		},
	},
	Python: {
		reserved: append(strings.Fields("Answer BadAnswer Client LockError Problem Q SlipstickError Warning"), keywords...),
		function: func(m *model, words []string) string {
			return m.functions.free(identifier(strings.ToLower(strings.Join(words, "_"))), "*", "*_batch")
		},
		// A keyword gets an underscore as suffix. The template removes it when it sends the input.
		field: func(name string, _ names) string {
			if slices.Contains(keywords, strings.TrimRight(name, "_")) {
				return name + "_"
			}
			return name
		},
		list: func(item string) string { return "Sequence[" + item + "]" },
		choice: func(_ *model, _ string, values []string) string {
			if line := literals(values, ", "); len(line) <= longest {
				return "Literal[" + line + "]"
			}
			return "Literal[\n        " + literals(values, ",\n        ") + ",\n    ]"
		},
		quantity: func(q *quantity, f *sdk.Field, input bool) string {
			switch {
			case !input:
				return "Q[float, Literal[" + quote(f.Unit) + "]]"
			case f.Decimal:
				return q.Name + "Decimal"
			}
			return q.Name
		},
		plain: func(f *sdk.Field, input bool) string {
			switch {
			case f.Type == sdk.TypeString || f.Decimal && input:
				return "str"
			case f.Type == sdk.TypeBoolean:
				return "bool"
			case f.Type == sdk.TypeInteger:
				return "int"
			}
			return "float"
		},
	},
}

// goChoice returns the name of a type with a constant for each text. An input and a result with the same
// name and the same texts share one type.
func goChoice(m *model, name string, values []string) string {
	for _, c := range m.Choices {
		if c.of == name && slices.EqualFunc(c.Values, values, func(v value, text string) bool { return v.Text == text }) {
			return c.Name
		}
	}
	c := &choice{Name: m.types.free(name, "*"), of: name}
	for _, text := range values {
		c.Values = append(c.Values, value{m.types.free(c.Name+"_"+strings.Join(split(unitWords.Replace(text)), "_"), "*"), text})
	}
	m.Choices = append(m.Choices, c)
	return c.Name
}

// goPlain returns a type for which the zero value can mean "absent": a pointer for numbers and booleans.
func goPlain(f *sdk.Field, input bool) string {
	optional := ""
	if input || !f.Required {
		optional = "*"
	}
	switch {
	case f.Type == sdk.TypeString:
		return "string"
	case f.Type == sdk.TypeBoolean:
		return optional + "bool"
	case f.Decimal && input:
		return "Decimal"
	case f.Type == sdk.TypeInteger:
		return optional + "int64"
	}
	return optional + "float64"
}

// keywords are the keywords of Python, which cannot be names.
var keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except
	finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// helpers are the functions for templates.
var helpers = template.FuncMap{
	"quote": quote, "comment": comment,
	"literals": literals,
	"about":    about, "answered": answered, "converted": converted,
}

// longest is the maximum length of a list of choices on one line.
const longest = 60

// quote returns a string literal in double quotes that all three languages read.
func quote(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case !unicode.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// literals returns the string literals of texts, with a separator.
func literals(values []string, between string) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = quote(v)
	}
	return strings.Join(list, between)
}

// comment returns a text of an author as comment lines that start with the prefix. No text can end the
// comment.
func comment(prefix, text string) string {
	const width = 96
	printable := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "*/", "* /"))
	var b strings.Builder
	line := prefix
	for _, word := range strings.Fields(printable) {
		if line != prefix && len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = prefix
		}
		line += " " + word
	}
	return b.String() + line
}

// about describes an input for callers, in addition to its type.
func about(f *sdk.Field) string {
	text := sentence(f.Doc)
	if f.UnitBy != nil {
		text += " In " + f.UnitBy.String() + "."
	}
	switch {
	case f.Required:
		text += " Required."
	case f.Default != "":
		text += " Default: " + strings.TrimSpace(f.Default+" "+f.Unit) + "."
	}
	return text
}

// answered describes a result for callers, in addition to its type.
func answered(f *sdk.Field) string {
	text := sentence(f.Doc)
	if !f.Required {
		text += " Can be absent."
	}
	if f.Unit != "" {
		text += " In " + f.Unit + "."
	}
	if f.UnitBy != nil {
		text += " In " + f.UnitBy.String() + "."
	}
	return text
}

// sentence returns the text, with a full stop if it has no end.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// converted returns the Python expression that reads a result from the JSON object data. A JSON number
// without a fraction must become a float.
func converted(f *sdk.Field) string {
	kind, name := map[sdk.Type]string{sdk.TypeNumber: "float", sdk.TypeInteger: "int"}[f.Type], quote(f.Name)
	if f.Unit != "" {
		kind = "" // it is a Q
	}
	switch {
	case kind == "" && f.Required:
		return "data[" + name + "]"
	case kind == "":
		return "data.get(" + name + ")"
	case f.Required:
		return kind + "(data[" + name + "])"
	}
	return "_optional(" + kind + ", data.get(" + name + "))"
}
