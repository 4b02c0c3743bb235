package web

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// worthZipping is the size in bytes below which an answer fits into one packet anyway.
const minCompressed = 1400

// zippedTag marks the entity tags of compressed answers, which are other bytes.
const compressedTag = "-gzip"

// compress returns a handler that compresses the answers of h for callers who take gzip.
// Answers hold no secret that their length could tell.
func compress(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.EnableZstd(false), gzhttp.SuffixETag(compressedTag))
	if err != nil {
		panic(err) // the options are valid ones
	}
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lines := r.Header["If-None-Match"]
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(line, compressedTag+`"`, `"`) // handlers know the plain one
		}
		h.ServeHTTP(w, r)
	}))
}
