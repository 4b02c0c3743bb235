package response

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// AppendRecord appends the JSON object of one value per field. Absent fields are
// left out.
func AppendRecord(dst []byte, fields []sdk.Field, values []value.Value) []byte {
	dst = append(dst, '{')
	for i := range fields {
		if i < len(values) && values[i].Kind() != value.Absent {
			dst = appendName(dst, fields[i].Name)
			dst = AppendValue(dst, &fields[i], values[i])
			dst = append(dst, ',')
		}
	}
	return append(trimComma(dst), '}')
}

// AppendValue appends the JSON form of one value of a field.
func AppendValue(dst []byte, f *sdk.Field, v value.Value) []byte {
	switch v.Kind() {
	case value.Number:
		return v.AppendNumber(dst)
	case value.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case value.Text, value.Exact:
		return AppendText(dst, v.Text())
	case value.List:
		dst = append(dst, '[')
		for _, item := range v.Items() {
			dst = append(AppendValue(dst, f.Items, item), ',')
		}
		return append(trimComma(dst), ']')
	case value.Record:
		return AppendRecord(dst, f.Fields, v.Items())
	}
	return append(dst, "null"...)
}

// AppendText appends s as a JSON string. It escapes <, > and & too, so that the
// bytes are safe inside HTML.
func AppendText(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if !plain[s[i]] {
			return appendMarshalled(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// plain has the bytes that need no escape in a JSON string and in HTML.
var plain = func() (table [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		table[c] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return table
}()

func appendMarshalled(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and flat structs of strings and bools always marshal
	}
	return append(dst, b...)
}

func appendName(dst []byte, name string) []byte { return append(AppendText(dst, name), ':') }

func appendMember(dst []byte, name, content string) []byte {
	return append(AppendText(appendName(dst, name), content), ',')
}

// appendLegible appends v, a text or steps, as JSON without escapes for < and >, so that
// people can read a condition.
func appendLegible(dst []byte, v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings and flat structs of them always marshal
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

func appendFormula(dst []byte, f *sdk.Formula) []byte {
	dst = append(dst, `"formula":{`...)
	dst = appendMember(dst, "id", f.ID)
	dst = append(appendLegible(appendName(dst, "expression"), f.Expression), ',')
	if f.Label != "" {
		dst = appendMember(dst, "label", f.Label)
	}
	return append(trimComma(dst), "},"...)
}

func appendWarning(dst []byte, i int, w sdk.Warning) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, '{')
	dst = appendMember(dst, "code", w.Code)
	for _, m := range []struct{ name, value string }{
		{"severity", string(w.Severity)}, {"detail", w.Detail}, {"suggestion", w.Suggestion},
	} {
		if m.value != "" {
			dst = appendMember(dst, m.name, m.value)
		}
	}
	return append(trimComma(dst), '}')
}

func trimComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] == ',' {
		return dst[:n-1]
	}
	return dst
}
