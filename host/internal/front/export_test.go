package front

// Head is what the front reads of a request.
type Head struct {
	Path, RequestID, Pin, Forwarded, Body string
	Close                                 bool
	Size                                  int
}

// ReadHead reports whether the data begins with a request of the common shape.
func ReadHead(data []byte, start string) (Head, bool) {
	var h head
	if h.read(data, start) != whole {
		return Head{}, false
	}
	return Head{string(h.path), string(h.requestID), string(h.pin), string(h.forwarded), string(h.body), h.close, h.size}, true
}
