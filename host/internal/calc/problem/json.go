package problem

import (
	"strconv"

	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/versions"
)

// AppendJSON appends the error body of spec 7.2. The base URL is for links to problem
// pages.
func (p *Problem) AppendJSON(dst []byte, baseURL string) []byte {
	dst = p.appendType(dst, baseURL)
	dst = appendText(dst, "status", "error")
	dst = appendInt(dst, "http_status", p.Status())
	dst = appendText(dst, "code", p.Code)
	dst = appendText(dst, "error", p.Message())
	return p.appendRest(dst)
}

// AppendProblemJSON appends the problem in the format of RFC 9457, in which status is a
// number.
func (p *Problem) AppendProblemJSON(dst []byte, baseURL string) []byte {
	dst = p.appendType(dst, baseURL)
	dst = appendInt(dst, "status", p.Status())
	dst = appendText(dst, "code", p.Code)
	return p.appendRest(dst)
}

func (p *Problem) appendType(dst []byte, baseURL string) []byte {
	dst = append(dst, '{')
	dst = appendText(dst, "type", baseURL+"/problems/"+p.Slug())
	return appendText(dst, "title", p.Title())
}

// appendRest appends the common members of both formats.
func (p *Problem) appendRest(dst []byte) []byte {
	dst = appendText(dst, "detail", p.Detail)
	if p.Field != "" {
		dst = appendText(dst, "field", p.Field)
	}
	dst = strconv.AppendBool(append(dst, `"recoverable":`...), p.Recoverable())
	dst = append(dst, ',')
	if p.Suggestion != "" {
		dst = appendText(dst, "suggestion", p.Suggestion)
	}
	if len(p.Invalid) > 0 {
		dst = append(dst, `"invalid_parameters":[`...)
		for _, i := range p.Invalid {
			dst = append(dst, '{')
			dst = appendText(dst, "name", "inputs."+i.Name)
			dst = appendText(dst, "constraint", i.Constraint)
			dst = append(dst[:len(dst)-1], "},"...)
		}
		dst = append(dst[:len(dst)-1], "],"...)
	}
	if p.AcceptableIDs != nil {
		dst = appendList(dst, "acceptable_ids", p.AcceptableIDs)
	}
	if p.Mismatch != nil {
		dst = p.appendMismatch(dst)
	}
	if p.Conflict != nil {
		dst = p.appendConflict(dst)
	}
	if p.Limit > 0 {
		dst = appendInt(dst, "retry_after_seconds", p.RetryAfter)
		dst = appendInt(dst, "limit", p.Limit)
	}
	if p.ResumeAtRow > 0 {
		dst = appendInt(dst, "resume_at_row", p.ResumeAtRow)
	}
	dst[len(dst)-1] = '}'
	return append(dst, '\n')
}

func (p *Problem) appendMismatch(dst []byte) []byte {
	if p.Mismatch.Requested != "" {
		dst = appendText(dst, "requested_version", request.Clip(p.Mismatch.Requested))
	}
	if p.Mismatch.Current != "" {
		dst = appendText(dst, "current_version", p.Mismatch.Current)
	}
	return appendList(dst, "available_versions", p.Mismatch.Available)
}

func (p *Problem) appendConflict(dst []byte) []byte {
	dst = append(dst, `"pins":[`...)
	for _, pin := range p.Conflict.Pins {
		dst = append(dst, '{')
		dst = appendText(dst, "location", pin.Where())
		dst = appendText(dst, "value", request.Clip(pinText(pin)))
		dst = append(dst[:len(dst)-1], "},"...)
	}
	return append(dst[:len(dst)-1], "],"...)
}

// pinText returns the pin's value. Only text values can be in conflict.
func pinText(p versions.Pin) string {
	text, _ := p.Value.(string)
	return text
}

func appendText(dst []byte, name, value string) []byte {
	dst = append(response.AppendText(dst, name), ':')
	return append(response.AppendText(dst, value), ',')
}

func appendInt(dst []byte, name string, value int) []byte {
	dst = append(response.AppendText(dst, name), ':')
	return append(strconv.AppendInt(dst, int64(value), 10), ',')
}

func appendList(dst []byte, name string, values []string) []byte {
	dst = append(response.AppendText(dst, name), ":["...)
	for _, v := range values {
		dst = append(response.AppendText(dst, v), ',')
	}
	if len(values) > 0 {
		dst = dst[:len(dst)-1]
	}
	return append(dst, "],"...)
}
