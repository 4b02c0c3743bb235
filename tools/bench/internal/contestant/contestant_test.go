package contestant

import (
	"bytes"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
)

// learnFrom is an answer of slipstick serve to the inputs of learnDigits.
//
//go:embed testdata/answer.json
var learnFrom []byte

const (
	learnDigits = "12345678901"
	path        = "/api/v1/calc/bench-spread-n000"
)

func handler(t *testing.T, name string) http.Handler {
	t.Helper()
	h, err := New(name, learnFrom)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func post(t *testing.T, h http.Handler, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	return w
}

// Each contestant gives a byte-identical answer to the answer that it learned from.
func TestAnswerIsSlipsticks(t *testing.T) {
	for _, name := range []string{Fixed, JSON, Tuned} {
		w := post(t, handler(t, name), path, beam.Inputs(learnDigits))
		if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), learnFrom) {
			t.Errorf("%s: status %d\n%s\nwant\n%s", name, w.Code, w.Body, learnFrom)
		}
		if media := w.Header().Get("Content-Type"); media != "application/json" {
			t.Errorf("%s: content type %q", name, media)
		}
	}
}

// someInputs returns bodies with answers that have numbers of every form.
func someInputs() []string {
	r := rand.New(rand.NewPCG(1, 2))
	var all []string
	for i := range 200 {
		scale := []string{"", "e-7", "e-12", "e9", "e18"}[i%5]
		all = append(all, fmt.Sprintf(`{"span": %v, "width":%v,"depth":%v ,"modulus":%v%s,"load":%v%s,"force":%v%s,"couple":-%v,"axial":%v}`,
			1+r.Float64(), r.Float64()+.1, r.Float64()+.1, 1+r.Float64(), scale, 1+r.Float64(), scale,
			1+r.Float64(), scale, r.Float64()+1, r.IntN(100)))
	}
	return all
}

func TestSameAnswers(t *testing.T) {
	standard, tuned := handler(t, JSON), handler(t, Tuned)
	for _, body := range someInputs() {
		want, got := post(t, standard, path, body), post(t, tuned, path, body)
		if want.Code != http.StatusOK || got.Code != http.StatusOK || want.Body.String() != got.Body.String() {
			t.Errorf("%s\n%s answers %d %s\n%s answers %d %s", body, JSON, want.Code, want.Body, Tuned, got.Code, got.Body)
		}
	}
}

// A line of a batch gets the same answer as a request.
func TestBatch(t *testing.T) {
	for _, name := range []string{JSON, Tuned} {
		h := handler(t, name)
		var body, want strings.Builder
		for _, inputs := range someInputs() {
			fmt.Fprintf(&body, `{"id":"bench-spread-n000","inputs":%s}`+"\n", inputs)
			want.WriteString(post(t, h, path, inputs).Body.String())
		}
		w := post(t, h, "/api/v1/batch", body.String())
		if w.Code != http.StatusOK || w.Body.String() != want.String() {
			t.Errorf("%s: status %d, %d bytes; the requests one by one have %d", name, w.Code, w.Body.Len(), want.Len())
		}
	}
}

// Inputs other than the eight inputs of a beam are refused.
func TestBadInputs(t *testing.T) {
	good := beam.Inputs(learnDigits)
	for _, name := range []string{JSON, Tuned} {
		h := handler(t, name)
		for what, body := range map[string]string{
			"a missing input": strings.Replace(good, `,"axial"`, `,"axiom"`, 1),
			"no beam":         strings.Replace(good, `"span":4`, `"span":-4`, 1),
			"a text":          strings.Replace(good, `"span":4`, `"span":"4"`, 1),
			"half a body":     good[:len(good)/2],
			"nothing":         "",
		} {
			if w := post(t, h, path, body); w.Code != http.StatusBadRequest {
				t.Errorf("%s, %s: status %d: %s", name, what, w.Code, w.Body)
			}
		}
		if w := post(t, h, "/api/v1/calc/other", good); w.Code == http.StatusOK {
			t.Errorf("%s answers for another calculation", name)
		}
	}
}

func TestLearn(t *testing.T) {
	for _, text := range []string{"", "{}", `{"tool":"x","inputs":{}}`, `[1]`} {
		if _, err := New(Tuned, []byte(text)); err == nil {
			t.Errorf("something was learned from %q", text)
		}
	}
	if _, err := New("quick", learnFrom); err == nil || !strings.Contains(err.Error(), Tuned) {
		t.Errorf("an unknown name: %v", err)
	}
}

func BenchmarkAnswer(b *testing.B) {
	body := []byte(beam.Inputs(learnDigits))
	known, err := learn(learnFrom)
	if err != nil {
		b.Fatal(err)
	}
	tuned := newTuned(known)
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		var in beam.Input
		if s := (scanner{text: body}); !s.inputs(&in) {
			b.Fatal("inputs were not read")
		}
		dst = tuned.answer(dst[:0], &in)
	}
}
