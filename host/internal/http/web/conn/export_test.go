package conn

// Head contains the fields of a request that the front reads.
type Head struct {
	Path, RequestID, Pin, Forwarded, Body string
	Close                                 bool
	Size                                  int
}

// ReadHead reports whether the data starts with a request of the common shape.
func ReadHead(data []byte, start string) (Head, bool) {
	var h head
	if h.read(data, start) != whole {
		return Head{}, false
	}
	return Head{string(h.Path), string(h.RequestID), string(h.Pin), string(h.Forwarded), string(h.Body), h.Close, h.size}, true
}
