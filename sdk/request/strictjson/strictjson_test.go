package strictjson_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

func num(literal string, f float64) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Number, Text: literal, Float: f}
}

func TestParseTree(t *testing.T) {
	got, err := strictjson.Parse([]byte(`{"z": [1, -2.50e1, [], {}, "x\ty"], "a": {"b": true, "c": null}, "no": false}`))
	if err != nil {
		t.Fatal(err)
	}
	want := strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
		{Name: "z", Value: strictjson.Value{Kind: strictjson.Array, Items: []strictjson.Value{
			num("1", 1), num("-2.50e1", -25), {Kind: strictjson.Array}, {Kind: strictjson.Object},
			{Kind: strictjson.String, Text: "x\ty"},
		}}},
		{Name: "a", Value: strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
			{Name: "b", Value: strictjson.Value{Kind: strictjson.Bool, Bool: true}},
			{Name: "c"},
		}}},
		{Name: "no", Value: strictjson.Value{Kind: strictjson.Bool}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

var grammarErrors = []refused{
	{"", "comma before brace", `{"a":1,}`, `found "}", expected a member name`, 7},
	{"", "comma before bracket", `[1,]`, `found "]", expected a value`, 3},
	{"", "no comma in array", `[1 2]`, `found "2", expected "," or "]"`, 3},
	{"", "no comma in object", `{"a":1 "b":2}`, `found "\"", expected "," or "}"`, 7},
	{"", "no colon", `{"a" 1}`, `found "1", expected ":"`, 5},
	{"", "bare name", `{a:1}`, `found "a", expected a member name in double quotes`, 1},
	{"", "single quotes", `{'a':1}`, `found "'", expected a member name`, 1},
	{"", "number as name", `{1:1}`, `found "1", expected a member name`, 1},
	{"", "comment", `[1] // one`, `found "/", expected the end`, 4},
	{"", "open array", `[1`, `found the end, expected "," or "]"`, 2},
	{"", "open object", `{"a":1`, `found the end, expected "," or "}"`, 6},
	{"", "brackets crossed", `[{]}`, `found "]", expected a member name`, 2},
	{"", "open string", `["ab`, `found a string without end`, 1},
	{"", "open escape", `"\`, `found the end, expected one of`, 2},
	{"", "unknown escape", `"\x41"`, `found "x", expected one of`, 2},
	{"", "escape in upper case", `"\N"`, `found "N", expected one of`, 2},
	{"", "short hex escape", `"\u00e"`, `found "\"", expected four hex digits`, 6},
	{"", "sign in hex escape", `"\u+041"`, `found "+", expected four hex digits`, 3},
	{"", "open hex escape", `"\u00`, `found the end, expected four hex digits`, 5},
	{"", "bad second escape of a pair", `"\uD83D\uZ"`, `found "Z", expected four hex digits`, 9},
	{"", "line break in a string", "\"a\nb\"", "found U+000A, expected no raw control character", 2},
	{"", "NaN", `NaN`, `found "N", expected a value`, 0},
	{"", "True", `True`, `found "T", expected a value`, 0},
	{"", "tru", `tru`, `found "t", expected a value`, 0},
	{"", "nullx", `nullx`, `found "x", expected the end`, 4},
	{"", "no-break space", "\u00a0{}", `found U+00A0, expected a value`, 0},
	{"", "vertical tab", "\v{}", `found U+000B, expected a value`, 0},
}

func TestGrammarErrors(t *testing.T) {
	for _, c := range grammarErrors {
		t.Run(c.name, func(t *testing.T) {
			_, err := strictjson.Parse([]byte(c.doc))
			checkSyntaxError(t, err, c.reason, c.offset)
		})
	}
}

func TestSyntaxErrorPlace(t *testing.T) {
	_, err := strictjson.Parse([]byte("{\r\n  \"é\": 1,\n  \"水\": +2\n}"))
	got := *err.(*strictjson.SyntaxError)
	want := strictjson.SyntaxError{Offset: 23, Line: 3, Column: 8, Reason: `found "+", expected a value`, Path: "水"}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, want := err.Error(), `line 3, column 8: found "+", expected a value`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The path of an error is the member at fault, or the member with the value that contains the
// place.
func TestSyntaxErrorPath(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":1,"a":2}`: "a", `{"inputs":{"side":1,"side":2}}`: "inputs.side", `{"layers":[{"t":1},{"t":1,"t":2}]}`: "layers.1.t",
		`{"a":{"b":[1,[2,01]]}}`: "a.b.1.1", `{"a":1,"b":+1}`: "b", `{"a":{"b":1 "c":2}}`: "a", `{"a":"\ud800"}`: "a", `[[],[1,]]`: "1.1",
		`{"a":1`: "", `[1`: "", `{"a" 1}`: "", `x`: "",
	} {
		_, err := strictjson.Parse([]byte(doc))
		if e, ok := err.(*strictjson.SyntaxError); !ok || e.Path != want {
			t.Errorf("%s: %#v, want the path %q", doc, err, want)
		}
	}
}

func TestLongNameIsCutInReason(t *testing.T) {
	name := strings.Repeat("é", 10000)
	_, err := strictjson.Parse(fmt.Appendf(nil, `{"%s":1,"%s":2}`, name, name))
	checkSyntaxError(t, err, `"...`, len(name)+6)
}

func TestMember(t *testing.T) {
	v, err := strictjson.Parse([]byte(`{"a":1,"":2}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"a": 1, "": 2} {
		if got, found := v.Member(name); !found || got.Float != want {
			t.Errorf("member %q: got %v, %v, want %v", name, got.Float, found, want)
		}
	}
	if _, found := v.Member("b"); found {
		t.Error("found a member that is not there")
	}
	if _, found := num("1", 1).Member(""); found {
		t.Error("found a member in a number")
	}
}

func TestFirstOutOfRange(t *testing.T) {
	for _, c := range []struct{ doc, path, literal string }{
		{`1e400`, "", "1e400"},
		{`{"a":1e400}`, "a", "1e400"},
		{`{"ok":1,"a":{"b":[1e-400,1e400]}}`, "a.b.0", "1e-400"},
		{`{"a":[1,{"b":2},[3,-1e400]],"c":1e400}`, "a.2.1", "-1e400"},
		{`{"a":{"":1e400}}`, "a.", "1e400"},
	} {
		v, err := strictjson.Parse([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		path, bad, found := v.FirstOutOfRange()
		if !found || path != c.path || bad.Text != c.literal {
			t.Errorf("%s: got %q, %s, %v, want %q, %s", c.doc, path, bad.Text, found, c.path, c.literal)
		}
	}
	v, err := strictjson.Parse([]byte(`{"a":[0e-400,-0,5e-324,"1e400"],"b":null}`))
	if err != nil {
		t.Fatal(err)
	}
	if path, bad, found := v.FirstOutOfRange(); found {
		t.Errorf("got %q, %s, want none", path, bad.Text)
	}
}

// manyMembers returns objects with unique two-character names. The names are also the members.
// There are count members in all, split evenly over the objects.
func manyMembers(count, objects int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'()*+,-./:;<=>?@[]^_{|}~`"
	var b strings.Builder
	b.WriteByte('[')
	for i := range count {
		switch {
		case i == 0:
			b.WriteByte('{')
		case i%(count/objects) == 0:
			b.WriteString("},{")
		default:
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%c%c":0`, letters[i/len(letters)], letters[i%len(letters)])
	}
	b.WriteString("}]")
	return b.String()
}

func TestDuplicateAmongMany(t *testing.T) {
	for _, count := range []int{2, 16, 17, 18, 33, 8000} {
		doc := strings.Trim(manyMembers(count, 1), "[]")
		if _, err := strictjson.Parse([]byte(doc)); err != nil {
			t.Errorf("%d unique members: %v", count, err)
		}
		for _, name := range []string{"aa", doc[len(doc)-6 : len(doc)-4]} {
			again := doc[:len(doc)-1] + `,"` + name + `":0}`
			if _, err := strictjson.Parse([]byte(again)); err == nil {
				t.Errorf("%d members and %q again: accepted", count, name)
			}
		}
	}
}

const eightNumbers = `{"force": 1250.5, "length": 2.4, "width": 0.08, "height": 0.16,
"modulus": 2.1e11, "density": 7850, "temperature": -12.25, "factor": 1.35}`

func TestParseAllocatesLittle(t *testing.T) {
	data := []byte(eightNumbers)
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := strictjson.Parse(data); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 3 {
		t.Errorf("got %v allocations, want at most 3", allocs)
	}
}

func BenchmarkParse(b *testing.B) {
	data := []byte(eightNumbers)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := strictjson.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseList measures a list of 1,000 numbers.
func BenchmarkParseList(b *testing.B) {
	data := []byte(`{"values":[` + strings.Repeat("12.3456789012345,", 999) + `1]}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := strictjson.ParseObject(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseHostile(b *testing.B) {
	for name, doc := range map[string]string{
		"members":  manyMembers(8000, 1),
		"elements": "[" + strings.Repeat("0,", strictjson.MaxBytes/2-2) + "0]",
		"brackets": strings.Repeat("[", strictjson.MaxBytes),
		"lists":    "[" + strings.Repeat(strings.Repeat("[", strictjson.MaxDepth-1)+"0"+strings.Repeat("]", strictjson.MaxDepth-1)+",", strictjson.MaxBytes/(2*strictjson.MaxDepth)-2) + "0]",
		"commas":   `["` + strings.Repeat(",", strictjson.MaxBytes-4) + `"]`,
		"numbers":  "[" + strings.Repeat(strings.Repeat("9", 399)+",", 160) + "0]",
	} {
		b.Run(name, func(b *testing.B) {
			data := []byte(doc)
			b.ReportAllocs()
			for b.Loop() {
				strictjson.Parse(data)
			}
		})
	}
}

func ExampleParseObject() {
	v, err := strictjson.ParseObject([]byte(`{"force": 1250.50, "length": 1e-400}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	force, _ := v.Member("force")
	fmt.Println(force.Text, force.Float)
	path, bad, _ := v.FirstOutOfRange()
	fmt.Println(path, bad.Text, bad.Range)
	// Output:
	// 1250.50 1250.5
	// length 1e-400 underflow
}

func ExampleSyntaxError() {
	_, err := strictjson.ParseObject([]byte(`{"force": 1, "\u0066orce": 2}`))
	fmt.Println(err)
	// Output:
	// line 1, column 14: found member "force" a second time, expected each name once
}

// BenchmarkManyMembers shows that the search for duplicates is not quadratic: one object of
// 8000 members takes about as long as 16 of 500.
func BenchmarkManyMembers(b *testing.B) {
	for _, objects := range []int{1, 16} {
		b.Run(fmt.Sprintf("objects=%d", objects), func(b *testing.B) {
			data := []byte(manyMembers(8000, objects))
			for b.Loop() {
				if _, err := strictjson.Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
