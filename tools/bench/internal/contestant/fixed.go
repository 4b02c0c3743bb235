package contestant

import "net/http"

// fixed answers all requests with the same text.
type fixed []byte

func (f fixed) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = mediaJSON
	_, _ = w.Write(f)
}
