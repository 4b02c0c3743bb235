package strictjson_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// A Scanner reads every document as ParseObject does, after any other document.
func TestScanner(t *testing.T) {
	documents := []string{
		`{"id":"a","inputs":{"x":1,"y":{"value":2,"unit":"m"},"z":[1,[2,{"a":{}}],{"b":3}]},"c":{"d":{"e":4}}}`,
		`{}`, ` {"a":{},"b":[],"c":[{}]}`, `{"a":{"b":{"c"`, `[1]`, ` 7`, ``, `null`, `{"a":1e400,"b":"\u00e4\n"}`,
		`{"a":{"b":1,"b":2}}`, `{` + strings.Repeat(`"x":{"y":`, 20) + `1` + strings.Repeat(`}`, 21),
		`{"` + strings.Repeat("x", strictjson.MaxBytes) + `":1}`,
		`{"a":{"p":1,"q":2,"r":3,"s":4,"t":5,"u":6,"v":7,"w":8,"x":9,"y":10}}`,
	}
	var s strictjson.Scanner
	for round := range 3 {
		for _, d := range documents {
			want, wantErr := strictjson.ParseObject([]byte(d))
			got, err := s.ParseObject(d)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
				t.Errorf("round %d, %.80s:\n%v, %v\nwant %v, %v", round, d, got, err, want, wantErr)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add(`{"id":"a","inputs":{"x":1,"y":{"value":2,"unit":"m"}}}`, `{"a":{"b":{}},"c":[{"d":1}]}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		var s strictjson.Scanner
		_, _ = s.ParseObject(first)
		got, err := s.ParseObject(second)
		want, wantErr := strictjson.ParseObject([]byte(second))
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Errorf("%v, %v, want %v, %v", got, err, want, wantErr)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	const document = `{"id":"eight","inputs":{"a":1.25,"b":2.5,"c":3.75,"d":4.125,"e":5.0625,"f":6,"g":7.5,"h":8.25}}`
	var s strictjson.Scanner
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.ParseObject(document); err != nil {
			b.Fatal(err)
		}
	}
}
