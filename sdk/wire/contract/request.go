package contract

import "google.golang.org/protobuf/encoding/protowire"

// MaxRequestID is the maximum length of the id of a request, in bytes.
const MaxRequestID = 64

// RequestID is the id of the request that a call belongs to, for log lines. The zero value
// means that there is none. It is a value and not a string, so that a call needs no memory for it.
type RequestID struct {
	size uint8
	text [MaxRequestID]byte
}

// RequestIDOf returns the id with the text. A text that is too long gives no id.
func RequestIDOf[T string | []byte](text T) (id RequestID) {
	setRequest(&id, text)
	return id
}

// setRequest sets an id that has no text.
func setRequest[T string | []byte](id *RequestID, text T) {
	if len(text) <= MaxRequestID {
		id.size = uint8(copy(id.text[:], text))
	}
}

// String returns the text of the id, "" for no id.
func (id *RequestID) String() string { return string(id.text[:id.size]) }

// appendRequest appends the id, unless there is none.
func appendRequest(b []byte, field protowire.Number, id *RequestID) []byte {
	if id.size == 0 {
		return b
	}
	return appendBytes(b, field, id.text[:id.size])
}

// Names for the log lines of an engine. A line is a JSON object as hclog writes it, with at least
// "@level" and "@message".
const (
	LogVariable = "SLIPSTICK_LOG_LEVEL" // environment variable: the least level that the server asks for
	LogRequest  = "request_id"          // member of a line: the request_id of the Call
)
