package page_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func BenchmarkCalculator(b *testing.B) {
	s := newSite(b)
	for b.Loop() {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, shelf+"?"+good, nil))
	}
}
