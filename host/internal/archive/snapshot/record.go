package snapshot

import (
	"encoding/hex"
	"encoding/json"
	"time"
)

// appendRecord appends the record that clients see, with the warnings at the end. The record of an
// embedded id is encoded for each request, so it is part of format e1. Without warnings, it must
// never change.
func (f *checked) appendRecord(dst []byte, id string, expires time.Time, warnings ...Warning) []byte {
	dst = append(dst, '{')
	dst = appendText(dst, "status", "success")
	dst = appendText(dst, "id", id)
	dst = appendText(dst, "tool_id", f.tool)
	dst = appendText(dst, "capability_id", f.capability)
	dst = append(append(append(dst, `"inputs":`...), f.inputs...), ',')
	dst = appendText(dst, "calculation_version", f.version)
	dst = append(append(append(dst, `"result":`...), f.result...), ',')
	dst = appendText(dst, "created_at", f.created.Format(time.RFC3339))
	if expires.IsZero() {
		dst = append(dst, `"expires_at":null,`...)
	} else {
		dst = appendText(dst, "expires_at", expires.Format(time.RFC3339))
	}
	dst = appendText(dst, "engine_digest", digestPrefix+hex.EncodeToString(f.digest[:]))
	dst = append(dst, `"links":{`...)
	dst = appendText(dst, "snapshot", "/s/"+id)
	dst = appendText(dst, "api", "/api/v1/share/"+id)
	dst = append(dst[:len(dst)-1], '}')
	if len(warnings) > 0 {
		dst = appendMarshalled(append(dst, `,"warnings":`...), warnings)
	}
	return append(dst, '}')
}

func appendText(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, '"'), name...), `":`...)
	return append(appendMarshalled(dst, value), ',')
}

func appendMarshalled(dst []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings always marshal
	}
	return append(dst, text...)
}
