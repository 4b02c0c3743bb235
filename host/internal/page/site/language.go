package site

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
)

// Language holds the habits that follow from the language of a browser: how it displays quantities, and how it reads typed
// text. It never affects the meaning of a link.
type Language struct {
	System  customary.System // the units of a page without a choice
	Grouped bool             // a comma in a typed number separates groups of three digits
}

// Speaks returns a function that returns the language of the browser, and marks the answer as dependent on it.
func Speaks(w http.ResponseWriter, r *http.Request) func() Language {
	return func() Language { return LanguageOf(w, r) }
}

// LanguageOf returns the language of the browser, and marks the answer as dependent on it.
func LanguageOf(w http.ResponseWriter, r *http.Request) Language {
	web.Vary(w.Header(), "Accept-Language")
	if strings.EqualFold(preferred(r.Header.Values("Accept-Language")), "en-US") {
		return Language{customary.US, true}
	}
	return Language{System: customary.Metric}
}

// maxLanguages is the maximum size of Accept-Language, in bytes. Longer headers count as absent.
const maxLanguages = 1 << 10

// preferred returns the language with the highest weight in the lines of Accept-Language, the first of several. It ignores
// parts that RFC 9110 section 12.5.4 does not allow.
func preferred(lines []string) string {
	text := strings.Join(lines, ",")
	if len(text) > maxLanguages {
		return ""
	}
	best, most := "", 0.0
	for part := range strings.SplitSeq(text, ",") {
		tag, parameter, weighted := strings.Cut(part, ";")
		weight := 1.0
		if weighted {
			q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
			x, err := strconv.ParseFloat(q, 64)
			if !ok || err != nil || x > 1 || strings.Trim(q, "0123456789.") != "" {
				continue
			}
			weight = x
		}
		if weight > most {
			best, most = strings.TrimSpace(tag), weight
		}
	}
	return best
}
