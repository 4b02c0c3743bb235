package problem

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/versions"
)

// ParseQuery reads the query string of a URL. The error is the INVALID_QUERY problem.
func ParseQuery(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, InvalidQuery(raw, err)
	}
	return query, nil
}

// InvalidQuery returns the problem of a query string that package net/url cannot read. Its
// field is the first invalid parameter.
func InvalidQuery(raw string, err error) *Problem {
	suggestion := "Write %3B for a semicolon, and & between parameters."
	if escape := url.EscapeError(""); errors.As(err, &escape) {
		suggestion = "Write %25 for a percent sign; any other % needs two hexadecimal digits after it."
	}
	return InvalidParameter(unreadable(raw), suggestion, "the query string of the URL cannot be read: %.200v", err)
}

// unreadable returns the name of the first parameter that cannot be read, or "" if the name
// itself cannot be read.
func unreadable(raw string) string {
	for part := range strings.SplitSeq(raw, "&") {
		key, text, _ := strings.Cut(part, "=")
		if _, err := url.QueryUnescape(text); err == nil && !strings.Contains(part, ";") {
			if _, err := url.QueryUnescape(key); err == nil {
				continue
			}
		}
		key, _, _ = strings.Cut(key, ";")
		name, _ := url.QueryUnescape(key)
		return name
	}
	return ""
}

// InvalidParameter returns the INVALID_QUERY problem of a parameter.
func InvalidParameter(name, suggestion, format string, args ...any) *Problem {
	p := New(CodeInvalidQuery, suggestion, format, args...)
	p.Field = request.Clip(name)
	return p
}

// UnknownParameters returns the problem of parameters that an endpoint does not accept. Its field is the first of them.
// The suggestion is the known name that is nearest to it, or else the hint and all known names.
func UnknownParameters(names, known []string, hint string) *Problem {
	const most = 5
	shown := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, strconv.Quote(request.Clip(name)))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("%d others", more))
	}
	suggestion := "Leave it out: this endpoint takes no parameters."
	if guess, near := GuessParameter(names[0], known); near {
		suggestion = "Did you mean " + guess + "?"
	} else if len(known) > 0 {
		suggestion = cmp.Or(hint, "Leave it out.") + " This endpoint takes " + strings.Join(known, ", ") + "."
	}
	return InvalidParameter(names[0], suggestion, "this endpoint does not take %s in the query", strings.Join(shown, ", "))
}

// GuessParameter returns the known parameter that an unknown one was probably meant to be. People often
// send "version" for a pin.
func GuessParameter(name string, known []string) (string, bool) {
	if strings.EqualFold(name, "version") && slices.Contains(known, versions.PinName) {
		return versions.PinName, true
	}
	return spelling.Guess(name, known)
}
