package site

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
)

// The language with the highest weight decides. Malformed parts and long headers have no effect.
func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		lines    []string
		american bool
	}{
		{nil, false},
		{[]string{"en-US"}, true},
		{[]string{"en-us,en;q=0.9,de;q=0.8"}, true},
		{[]string{" EN-US ; Q=0.7 , de ; q=0.6"}, true},
		{[]string{"de;q=0.5", "en-US;q=0.6"}, true},
		{[]string{"de,en-US;q=0.9"}, false},
		{[]string{"de;q=0.9,en-US;q=0.9"}, false},
		{[]string{"en-GB,en-US;q=0.9"}, false},
		{[]string{"en"}, false},
		{[]string{"*,en-US;q=0.5"}, false},
		{[]string{"en-US;q=0"}, false},
		{[]string{"en-US;q=2"}, false},
		{[]string{"en-US;q=nan"}, false},
		{[]string{"en-US;q=1e0"}, false},
		{[]string{"en-US;level=1"}, false},
		{[]string{"de;q=0x1,en-US;q=0.1"}, true},
		{[]string{"en-US," + strings.Repeat("x", maxLanguages)}, false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Accept-Language"] = tt.lines
		w := httptest.NewRecorder()
		want := Language{customary.Metric, false}
		if tt.american {
			want = Language{customary.US, true}
		}
		if got := LanguageOf(w, r); got != want || w.Header().Get("Vary") != "Accept-Language" {
			t.Errorf("%q: %+v, want %+v; Vary %q", tt.lines, got, want, w.Header().Get("Vary"))
		}
	}
}
