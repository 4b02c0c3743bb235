package versions_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/versions"
)

var (
	header = versions.Pin{Place: versions.InHeader, Name: versions.HeaderName}
	body   = versions.Pin{Place: versions.InBody, Name: "calculation_version"}
	query  = versions.Pin{Place: versions.InQuery, Name: "calculation_version"}
)

// at returns a pin with the value at the place of the other pin.
func at(where versions.Pin, value any) versions.Pin {
	where.Value = value
	return where
}

// request has the places from which a server collects pins; nil means that the place is
// absent.
type request struct {
	header []string
	body   any
	query  any
}

// null represents a JSON null.
type null struct{}

func (r request) pins() []versions.Pin {
	pins := versions.Header(r.header)
	for where, value := range map[versions.Pin]any{body: r.body, query: r.query} {
		switch value.(type) {
		case nil:
		case null:
			pins = append(pins, where)
		default:
			pins = append(pins, at(where, value))
		}
	}
	return pins
}

// code returns the spec's code for an error of this package.
func code(err error) string {
	var (
		invalid  *versions.InvalidPinError
		conflict *versions.ConflictError
		mismatch *versions.MismatchError
	)
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &invalid):
		return "INVALID_VERSION_PIN"
	case errors.As(err, &conflict):
		return "VERSION_PIN_CONFLICT"
	case errors.As(err, &mismatch):
		return "VERSION_MISMATCH"
	}
	return "unknown error"
}

var requests = []struct {
	row, name string
	request   request
	want      string // a version, or a code
}{
	{"D6", "no pin", request{}, "2.0.0"},
	{"D6", "header", request{header: []string{"1.0.0"}}, "1.0.0"},
	{"D6", "body", request{body: "1.0.0"}, "1.0.0"},
	{"D6", "query", request{query: "1.0.0"}, "1.0.0"},
	{"D6", "published prerelease", request{body: "3.0.0-rc.1"}, "3.0.0-rc.1"},
	{"D6", "everywhere the same", request{[]string{"1.0.0"}, "1.0.0", "1.0.0"}, "1.0.0"},
	{"D6", "pin of the current version", request{body: "2.0.0"}, "2.0.0"},
	{"D6", "body null", request{body: null{}}, "INVALID_VERSION_PIN"},
	{"D6", "body number", request{body: 1.0}, "INVALID_VERSION_PIN"},
	{"D6", "body empty", request{body: ""}, "INVALID_VERSION_PIN"},
	{"D6", "body blank", request{body: " \t\r\n"}, "INVALID_VERSION_PIN"},
	{"D6", "body blank by Unicode", request{body: "\u00a0\u2003\u3000"}, "INVALID_VERSION_PIN"},
	{"D6", "header empty", request{header: []string{""}}, "INVALID_VERSION_PIN"},
	{"D6", "query empty", request{query: ""}, "INVALID_VERSION_PIN"},
	{"D6", "invalid before conflict", request{[]string{"1.0.0"}, "2.0.0", ""}, "INVALID_VERSION_PIN"},
	{"D6", "invalid header before conflict", request{[]string{"1.0.0", "2.0.0", ""}, nil, nil}, "INVALID_VERSION_PIN"},
	{"D6", "invalid beside a published pin", request{[]string{"1.0.0"}, null{}, nil}, "INVALID_VERSION_PIN"},
	{"D6", "conflict before mismatch", request{[]string{"9.9.9"}, "8.8.8", nil}, "VERSION_PIN_CONFLICT"},
	{"D6", "conflict in spelling", request{[]string{"1.0.0"}, "v1.0.0", nil}, "VERSION_PIN_CONFLICT"},
	{"D6", "not published", request{body: "1.0.1"}, "VERSION_MISMATCH"},

	{"E18", "line break", request{body: "1.0.0\n"}, "VERSION_MISMATCH"},
	{"E18", "space before", request{body: " 1.0.0"}, "VERSION_MISMATCH"},
	{"E18", "space before in query", request{query: " 1.0.0"}, "VERSION_MISMATCH"},
	{"E18", "NUL after", request{body: "1.0.0\x00"}, "VERSION_MISMATCH"},
	{"E18", "v1.0.0", request{body: "v1.0.0"}, "VERSION_MISMATCH"},
	{"E18", "v1.0.0 in header", request{header: []string{"v1.0.0"}}, "VERSION_MISMATCH"},
	{"E18", "1.0", request{body: "1.0"}, "VERSION_MISMATCH"},
	{"E18", "1", request{body: "1"}, "VERSION_MISMATCH"},
	{"E18", "01.0.0", request{body: "01.0.0"}, "VERSION_MISMATCH"},
	{"E18", "fullwidth digit", request{body: "１.0.0"}, "VERSION_MISMATCH"},
	{"E18", "all fullwidth", request{body: "１．０．０"}, "VERSION_MISMATCH"},
	{"E18", "build metadata", request{body: "1.0.0+x"}, "VERSION_MISMATCH"},
	{"E18", "caret", request{body: "^1"}, "VERSION_MISMATCH"},
	{"E18", "caret of a version", request{body: "^1.0.0"}, "VERSION_MISMATCH"},
	{"E18", "wildcard", request{body: "*"}, "VERSION_MISMATCH"},
	{"E18", "latest", request{body: "latest"}, "VERSION_MISMATCH"},
	{"E18", "current", request{body: "current"}, "VERSION_MISMATCH"},
	{"E18", "null as text", request{body: "null"}, "VERSION_MISMATCH"},
	{"E18", "prerelease in upper case", request{body: "3.0.0-RC.1"}, "VERSION_MISMATCH"},
	{"E18", "10 kB", request{body: strings.Repeat("1", 10<<10)}, "VERSION_MISMATCH"},
	{"E18", "10 kB after a version", request{body: "1.0.0" + strings.Repeat(" ", 10<<10)}, "VERSION_MISMATCH"},
	{"E18", "10 kB header", request{header: []string{strings.Repeat("1", 10<<10)}}, "VERSION_MISMATCH"},
	{"E18", "10 kB of blanks", request{body: strings.Repeat(" ", 10<<10)}, "INVALID_VERSION_PIN"},
	{"E18", "10 kB of commas", request{header: []string{strings.Repeat(",", 10<<10)}}, "INVALID_VERSION_PIN"},
	{"E18", "zero-width space", request{body: "\u200b"}, "VERSION_MISMATCH"},
	{"E18", "invalid UTF-8", request{body: "\xff"}, "VERSION_MISMATCH"},
	{"E18", "number", request{body: 1.0}, "INVALID_VERSION_PIN"},
	{"E18", "boolean", request{body: true}, "INVALID_VERSION_PIN"},
	{"E18", "null", request{body: null{}}, "INVALID_VERSION_PIN"},
	{"E18", "array", request{body: []any{}}, "INVALID_VERSION_PIN"},
	{"E18", "array of a version", request{body: []any{"1.0.0"}}, "INVALID_VERSION_PIN"},
	{"E18", "object", request{body: map[string]any{}}, "INVALID_VERSION_PIN"},
	{"E18", "empty", request{body: ""}, "INVALID_VERSION_PIN"},

	{"E19", "two lines differ", request{header: []string{"1.0.0", "2.0.0"}}, "VERSION_PIN_CONFLICT"},
	{"E19", "joined line differs", request{header: []string{"1.0.0, 2.0.0"}}, "VERSION_PIN_CONFLICT"},
	{"E19", "third of many differs", request{header: []string{"1.0.0,1.0.0", "1.0.0 ,\t2.0.0"}}, "VERSION_PIN_CONFLICT"},
	{"E19", "header and body", request{[]string{"1.0.0"}, "2.0.0", nil}, "VERSION_PIN_CONFLICT"},
	{"E19", "header and query", request{[]string{"1.0.0"}, nil, "2.0.0"}, "VERSION_PIN_CONFLICT"},
	{"E19", "body and query", request{nil, "1.0.0", "2.0.0"}, "VERSION_PIN_CONFLICT"},
	{"E19", "all three", request{[]string{"1.0.0"}, "2.0.0", "3.0.0-rc.1"}, "VERSION_PIN_CONFLICT"},
	{"E19", "body with a space", request{[]string{"1.0.0"}, "1.0.0 ", nil}, "VERSION_PIN_CONFLICT"},
	{"E19", "two lines the same", request{header: []string{"1.0.0", "1.0.0"}}, "1.0.0"},
	{"E19", "joined line the same", request{header: []string{"1.0.0,1.0.0"}}, "1.0.0"},
	{"E19", "spaces and tabs around elements", request{header: []string{" \t1.0.0 ,\t1.0.0\t"}}, "1.0.0"},
	{"E19", "equal in all places", request{[]string{"1.0.0", "1.0.0, 1.0.0"}, "1.0.0", "1.0.0"}, "1.0.0"},
	{"E19", "equal in all places, not published", request{[]string{"1.2.3"}, "1.2.3", "1.2.3"}, "VERSION_MISMATCH"},
	{"E19", "empty line", request{header: []string{""}}, "INVALID_VERSION_PIN"},
	{"E19", "blank line", request{header: []string{" \t"}}, "INVALID_VERSION_PIN"},
	{"E19", "empty line after a version", request{header: []string{"1.0.0", ""}}, "INVALID_VERSION_PIN"},
	{"E19", "empty element", request{header: []string{"1.0.0,,1.0.0"}}, "INVALID_VERSION_PIN"},
	{"E19", "comma at the end", request{header: []string{"1.0.0,"}}, "INVALID_VERSION_PIN"},
}

func TestRequests(t *testing.T) {
	published := []string{"1.0.0", "2.0.0", "3.0.0-rc.1"}
	for _, c := range requests {
		t.Run(c.row+"/"+c.name, func(t *testing.T) {
			got, err := meaning(c.request, published, "2.0.0")
			if err != nil {
				got = code(err)
				checkText(t, err)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func meaning(r request, published []string, current string) (string, error) {
	version, pinned, err := versions.Agree(r.pins())
	if err != nil {
		return "", err
	}
	return versions.Resolve(version, pinned, published, current)
}

// checkText fails unless an error text is short and printable ASCII, for any pin.
func checkText(t *testing.T, err error) {
	t.Helper()
	text := err.Error()
	for _, r := range text {
		if r < ' ' || r > '~' {
			t.Fatalf("text holds %U: %q", r, text)
		}
	}
	if len(text) > 8000 {
		t.Errorf("text has %d bytes", len(text))
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []any
	}{
		{"nil", nil, nil},
		{"no lines", []string{}, nil},
		{"one line", []string{"1.0.0"}, []any{"1.0.0"}},
		{"two lines", []string{"1.0.0", "2.0.0"}, []any{"1.0.0", "2.0.0"}},
		{"joined", []string{" 1.0.0 ,\t2.0.0\t"}, []any{"1.0.0", "2.0.0"}},
		{"empty line", []string{""}, []any{""}},
		{"blank line", []string{" \t "}, []any{""}},
		{"empty elements", []string{",1.0.0,"}, []any{"", "1.0.0", ""}},
		{"only spaces and tabs are trimmed", []string{"\n1.0.0\u00a0"}, []any{"\n1.0.0\u00a0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []any
			for _, pin := range versions.Header(c.lines) {
				got = append(got, pin.Value)
				if pin.Where() != header.Where() {
					t.Errorf("got where %q, want %q", pin.Where(), header.Where())
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhere(t *testing.T) {
	for _, tt := range []struct {
		pin  versions.Pin
		want string
	}{
		{header, "header Service-Spec-Version"},
		{versions.Pin{Place: versions.InBody, Name: "inputs.calculation_version"}, "body inputs.calculation_version"},
		{query, "query calculation_version"},
		{versions.Pin{Place: versions.InForm, Name: "calculation_version"}, "form calculation_version"},
		{versions.Pin{Place: versions.InArgument, Name: "calculation_version"}, "argument calculation_version"},
		{versions.Pin{Place: versions.InAddress}, "address"},
		{versions.Pin{Place: versions.InSnapshot}, "snapshot"},
		{versions.Pin{Place: versions.InCommand, Name: "--pin"}, "--pin"},
	} {
		if got := tt.pin.Where(); got != tt.want {
			t.Errorf("%+v stands in %q, want %q", tt.pin, got, tt.want)
		}
	}
}

func TestInvalidPinIsTheFirst(t *testing.T) {
	_, pinned, err := versions.Agree([]versions.Pin{at(header, "1.0.0"), body, at(query, "")})
	var invalid *versions.InvalidPinError
	if !errors.As(err, &invalid) || pinned {
		t.Fatalf("got %v, %v, want an InvalidPinError", pinned, err)
	}
	if want := body; invalid.Pin != want {
		t.Errorf("got %v, want %v", invalid.Pin, want)
	}
}

func TestConflictHoldsPins(t *testing.T) {
	many := func(value string, count int) []versions.Pin {
		pins := make([]versions.Pin, count)
		for i := range pins {
			pins[i] = at(header, value)
		}
		return pins
	}
	odd := at(body, "2.0.0")
	for _, c := range []struct {
		name string
		pins []versions.Pin
		want []versions.Pin
	}{
		{"two", append(many("1.0.0", 1), odd), append(many("1.0.0", 1), odd)},
		{"as many as fit", append(many("1.0.0", 15), odd), append(many("1.0.0", 15), odd)},
		{"one too many", append(many("1.0.0", 16), odd), append(many("1.0.0", 15), odd)},
		{"far too many", append(append(many("1.0.0", 5000), odd), many("1.0.0", 5000)...), append(many("1.0.0", 15), odd)},
		{"the first odd one counts", append(many("1.0.0", 16), odd, at(query, "3.0.0")), append(many("1.0.0", 15), odd)},
		{"odd one first", append([]versions.Pin{odd}, many("1.0.0", 5000)...), append([]versions.Pin{odd}, many("1.0.0", 15)...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := versions.Agree(c.pins)
			var conflict *versions.ConflictError
			if !errors.As(err, &conflict) {
				t.Fatalf("got %v, want a ConflictError", err)
			}
			if !reflect.DeepEqual(conflict.Pins, c.want) {
				t.Errorf("got %v, want %v", conflict.Pins, c.want)
			}
			checkText(t, err)
		})
	}
}

func TestPinErrorTexts(t *testing.T) {
	for value, found := range map[any]string{
		nil: "null", true: "a boolean", 1.5: "a number", "": "an empty string", " ": "a blank string",
		[1]int{}: "a value that is not a string",
	} {
		err := &versions.InvalidPinError{Pin: at(body, value)}
		want := fmt.Sprintf(`body calculation_version: found %s, expected a version; give a version such as "1.0.0" or leave the pin out`, found)
		if got := err.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	conflict := &versions.ConflictError{Pins: []versions.Pin{at(header, "1.0.0"), at(body, "１.0.0")}}
	want := `version pins disagree: header Service-Spec-Version "1.0.0", body calculation_version "\uff11.0.0"; give the same version in every place, or in one only`
	if got := conflict.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
