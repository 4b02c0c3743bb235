package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// FuzzParse compares the parser with encoding/json in both directions. Accepted documents must
// be valid and decode to the same tree. Refused documents must be invalid or break a rule of
// this package.
func FuzzParse(f *testing.F) {
	for _, c := range acceptedDocs {
		f.Add([]byte(c.doc))
	}
	for _, c := range append(refusedDocs, grammarErrors...) {
		if len(c.doc) < 1000 {
			f.Add([]byte(c.doc))
		}
	}
	f.Add([]byte(eightNumbers))
	f.Add([]byte(manyMembers(40, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := strictjson.Parse(data)
		std, stdErr := stdDecode(data)
		if err == nil && stdErr != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", stdErr)
		}
		if err == nil {
			compare(t, v, std)
			v.FirstOutOfRange()
		}
		checkRefusal(t, err, data, stdErr == nil && followsOurRules(data))
		object, objectErr := strictjson.ParseObject(data)
		if isObject := err == nil && v.Kind == strictjson.Object; isObject != (objectErr == nil) || object.Kind == strictjson.Object != isObject {
			t.Fatalf("ParseObject says %v, Parse says %v, %v", objectErr, v.Kind, err)
		}
	})
}

func stdDecode(data []byte) (any, error) {
	if !json.Valid(data) {
		return nil, errors.New("not valid")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func checkRefusal(t *testing.T, err error, data []byte, acceptable bool) {
	t.Helper()
	if err == nil {
		if !acceptable {
			t.Fatal("accepted what breaks our rules")
		}
		return
	}
	if acceptable {
		t.Fatalf("refused what is fine: %v", err)
	}
	syntax := err.(*strictjson.SyntaxError)
	if syntax.Offset < 0 || syntax.Offset > len(data) || syntax.Line < 1 || syntax.Column < 1 || syntax.Reason == "" {
		t.Fatalf("impossible place: %+v", syntax)
	}
	if !utf8.ValidString(syntax.Reason) || len(syntax.Reason) > 200 {
		t.Fatalf("reason is not presentable: %q", syntax.Reason)
	}
}

func compare(t *testing.T, v strictjson.Value, std any) {
	t.Helper()
	switch want := std.(type) {
	case nil:
		must(t, v.Kind == strictjson.Null, v, std)
	case bool:
		must(t, v.Kind == strictjson.Bool && v.Bool == want, v, std)
	case string:
		must(t, v.Kind == strictjson.String && v.Text == want, v, std)
	case json.Number:
		compareNumber(t, v, want)
	case []any:
		must(t, v.Kind == strictjson.Array && len(v.Items) == len(want), v, std)
		for i := range want {
			compare(t, v.Items[i], want[i])
		}
	case map[string]any:
		must(t, v.Kind == strictjson.Object && len(v.Members) == len(want), v, std)
		for _, m := range v.Members {
			member, found := want[m.Name]
			must(t, found, v, std)
			compare(t, m.Value, member)
		}
	}
}

func compareNumber(t *testing.T, v strictjson.Value, want json.Number) {
	t.Helper()
	must(t, v.Kind == strictjson.Number && v.Text == want.String(), v, want)
	if len(want) > 400 {
		return // strconv, which package json uses, is wrong about long numbers; see TestLongNumbers
	}
	f, err := want.Float64()
	must(t, (err != nil) == (v.Range == strictjson.Overflow), v, want)
	must(t, v.Range != strictjson.Underflow || f == 0, v, want)
	must(t, v.Range != strictjson.InRange || v.Float == f && !(f == 0 && math.Signbit(v.Float)), v, want)
}

func must(t *testing.T, ok bool, got strictjson.Value, want any) {
	t.Helper()
	if !ok {
		t.Fatalf("got %+v, want %#v", got, want)
	}
}

// followsOurRules judges a document that encoding/json accepts, by
// encoding/json's own tokens.
func followsOurRules(data []byte) bool {
	if len(data) > strictjson.MaxBytes || !utf8.Valid(data) || hasLoneSurrogate(string(data)) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return tokensFollow(d, 0)
}

func tokensFollow(d *json.Decoder, depth int) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch token := token.(type) {
	case string:
		return !strings.Contains(token, "\x00")
	case json.Delim:
		return depth < strictjson.MaxDepth && containerFollows(d, token == '{', depth+1)
	}
	return true
}

func containerFollows(d *json.Decoder, isObject bool, depth int) bool {
	seen := map[string]bool{}
	for d.More() {
		if isObject {
			token, err := d.Token()
			name, _ := token.(string)
			if err != nil || seen[name] || strings.Contains(name, "\x00") {
				return false
			}
			seen[name] = true
		}
		if !tokensFollow(d, depth) {
			return false
		}
	}
	_, err := d.Token()
	return err == nil
}

var (
	escapePattern = regexp.MustCompile(`(?i)\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|.)`)
	surrogate     = regexp.MustCompile(`(?i)^d[89a-f]`)
)

// hasLoneSurrogate looks for a surrogate escape outside a pair in valid JSON.
func hasLoneSurrogate(doc string) bool {
	for _, m := range escapePattern.FindAllStringSubmatch(doc, -1) {
		if surrogate.MatchString(m[3]) {
			return true
		}
	}
	return false
}

var numberPattern = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?$`)

// FuzzParseNumber compares the classification with exact rational arithmetic.
func FuzzParseNumber(f *testing.F) {
	for _, c := range acceptedDocs {
		if c.row == "E3" || c.row == "E4" {
			f.Add(c.doc)
		}
	}
	for _, c := range badNumbers {
		if len(c.literal) < 1000 {
			f.Add(c.literal)
		}
	}
	f.Fuzz(func(t *testing.T, literal string) {
		v, err := strictjson.ParseNumber(literal)
		m := numberPattern.FindStringSubmatch(literal)
		if legal := m != nil && !strings.HasSuffix(literal, "\n") && len(literal) <= strictjson.MaxBytes; legal != (err == nil) {
			t.Fatalf("%q: got error %v, legal %v", literal, err, legal)
		}
		if err != nil {
			return
		}
		if v.Kind != strictjson.Number || v.Text != literal {
			t.Fatalf("%q: got %+v", literal, v)
		}
		inDocument, err := strictjson.Parse([]byte("[" + literal + "]"))
		if err != nil || inDocument.Items[0].Range != v.Range || inDocument.Items[0].Float != v.Float {
			t.Fatalf("%q: got %+v alone, %+v, %v in a document", literal, v, inDocument, err)
		}
		if exponent, err := strconv.Atoi(m[1]); m[1] == "" || err == nil && -2000 < exponent && exponent < 2000 {
			checkExact(t, v)
		}
	})
}

// checkExact rounds the literal by hand. Half the smallest binary64 ties to zero, and halfway
// above the largest ties to infinity, both to even.
func checkExact(t *testing.T, v strictjson.Value) {
	t.Helper()
	exact, _ := new(big.Rat).SetString(v.Text)
	size := new(big.Rat).Abs(exact)
	halfSmallest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1075))
	want := strictjson.InRange
	switch {
	case size.Sign() == 0:
	case size.Cmp(halfSmallest) <= 0:
		want = strictjson.Underflow
	case size.Cmp(new(big.Rat).SetInt(overflowEdge)) >= 0:
		want = strictjson.Overflow
	}
	if v.Range != want {
		t.Fatalf("%s: got %v, want %v", v.Text, v.Range, want)
	}
	if nearest, _ := exact.Float64(); want == strictjson.InRange && v.Float != nearest {
		t.Fatalf("%s: got %v, want %v", v.Text, v.Float, nearest)
	}
}
