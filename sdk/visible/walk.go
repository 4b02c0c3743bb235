package visible

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Each calls do with every text of a value that a pointer points to. The path consists of the
// names of the JSON members that lead to the text. It replaces the text by the result. Keys of
// maps are also passed, and stay unchanged. Values of maps are texts or numbers.
func Each(pointer any, do func(path, text string) string) {
	each(reflect.ValueOf(pointer).Elem(), "", do)
}

func each(v reflect.Value, path string, do func(path, text string) string) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); text != "" {
			if now := do(path, text); now != text {
				v.SetString(now)
			}
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Kind() == reflect.Pointer {
			each(v.Elem(), path, do)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 || v.Type().Elem().Kind() == reflect.Float64 {
			return
		}
		for i := range v.Len() {
			each(v.Index(i), path+"["+strconv.Itoa(i)+"]", do)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			do(path, it.Key().String())
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(it.Value())
			each(value, path+"."+it.Key().String(), do)
			if !value.Equal(it.Value()) {
				v.SetMapIndex(it.Key(), value)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			if f.Anonymous {
				each(v.Field(i), path, do)
				continue
			}
			each(v.Field(i), strings.TrimPrefix(path+"."+name, "."), do)
		}
	}
}

// CheckEach returns an error for each text with a hidden character, with its place, in a value
// that a pointer points to. Texts at paths that end with one of the names can have several
// lines.
func CheckEach(pointer any, lines ...string) (errs []error) {
	Each(pointer, func(path, text string) string {
		check := Check
		for _, name := range lines {
			if path == name || strings.HasSuffix(path, "."+name) {
				check = CheckLines
			}
		}
		if err := check(text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		}
		return text
	})
	return errs
}

// Suspect reports whether a JSON document may have a text with a hidden character. It is much
// faster than reading the document.
func Suspect(document []byte) bool {
	for i := 0; i < len(document); {
		c := document[i]
		switch {
		case c == '\\':
			if suspectEscape(document[i:]) {
				return true
			}
			i += 2
			continue
		case c < utf8.RuneSelf:
			if c == 0x7f {
				return true
			}
			i++ // JSON has no other control character
			continue
		}
		r, size := utf8.DecodeRune(document[i:])
		if Hidden(r) || Joins(r) || r == utf8.RuneError {
			return true
		}
		i += size
	}
	return false
}

// suspectEscape checks an escape of JSON.
func suspectEscape(text []byte) bool {
	if len(text) < 2 || bytes.IndexByte([]byte(`"\/nt`), text[1]) >= 0 {
		return len(text) < 2
	}
	if text[1] != 'u' || len(text) < 6 {
		return true
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 32)
	r := rune(n)
	return err != nil || Hidden(r) || Joins(r) || 0xd800 <= r && r <= 0xdfff
}
