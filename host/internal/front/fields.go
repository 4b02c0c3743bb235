package front

import "strings"

// ignored are the other fields of usual clients and proxies, in lower case. Nothing that
// answers a calculation reads them: no handler, no log, not net/http and not the compression.
// Traces do, but the front answers nothing while traces are sent.
var ignored = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`
		user-agent accept-language cache-control pragma priority dnt origin referer
		x-forwarded-proto x-forwarded-host x-forwarded-port x-real-ip forwarded via
		traceparent tracestate x-amzn-trace-id x-cloud-trace-context`) {
		names[name] = true
	}
	return names
}()

// ignoredPrefixes begin further fields of that kind: what browsers say of a request, and what
// Cloudflare adds.
var ignoredPrefixes = [...]string{"sec-", "cf-"}

// meansNothing reports whether no answer depends on the field.
func meansNothing(name []byte) bool {
	var lower [32]byte
	if len(name) > len(lower) {
		return false
	}
	for i, c := range name {
		if !plain[c] {
			return false
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	known := lower[:len(name)]
	if ignored[string(known)] {
		return true
	}
	for _, prefix := range ignoredPrefixes {
		if len(known) > len(prefix) && string(known[:len(prefix)]) == prefix {
			return true
		}
	}
	return false
}
