package web

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// minCompressed is the minimum size in bytes of compressed answers. Smaller answers fit into one packet anyway.
const minCompressed = 1400

// compressedTag is the suffix of entity tags of compressed answers. Their bytes differ, so they need their own
// tags.
const compressedTag = "-gzip"

// compress returns a handler that compresses the answers of h for callers who accept gzip. Answers contain no
// secrets that their compressed length could reveal.
func compress(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.EnableZstd(false), gzhttp.SuffixETag(compressedTag))
	if err != nil {
		panic(err) // the options are valid
	}
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lines := r.Header["If-None-Match"]
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(line, compressedTag+`"`, `"`) // handlers know only the tag without the suffix
		}
		h.ServeHTTP(w, r)
	}))
}
