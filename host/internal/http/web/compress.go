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

// Levels of compression. Answers to POST are made for one caller, so that time counts. Others are often kept by browsers and
// caches, so that size counts. The fast level makes them about 10 % longer.
const (
	fastLevel  = gzip.BestSpeed
	smallLevel = gzip.DefaultCompression
)

// compressedTag is the suffix of entity tags of compressed answers. Their bytes differ, so they need their own
// tags.
const compressedTag = "-gzip"

// compress returns a handler that compresses the answers of h for callers who accept gzip. Answers contain no
// secrets that their compressed length could reveal.
func compress(h http.Handler) http.Handler {
	fast, small := compressTo(h, fastLevel), compressTo(h, smallLevel)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			fast.ServeHTTP(w, r)
			return
		}
		small.ServeHTTP(w, r)
	})
}

func compressTo(h http.Handler, level int) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(level), gzhttp.EnableZstd(false), gzhttp.SuffixETag(compressedTag))
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
