package web

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// minCompressed is the minimum size in bytes of compressed answers. Smaller ones arrive with two packets, and compression
// costs more time than it saves.
const minCompressed = 2800

// compressionLevel is the fastest one. Its answers are at most 10 % longer than with the default level.
const compressionLevel = gzip.BestSpeed

// compressedTag is the suffix of entity tags of compressed answers. Their bytes differ, so they need their own
// tags.
const compressedTag = "-gzip"

// compress returns a handler that compresses the answers of h for callers who accept gzip. Answers contain no
// secrets that their compressed length could reveal.
func compress(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(compressionLevel), gzhttp.EnableZstd(false), gzhttp.SuffixETag(compressedTag))
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
