package server

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/openapi"
)

// documents are the OpenAPI documents of what is published. They are made when they are asked
// for, and kept until something else is published.
type documents struct {
	service *calc.Service

	mu      sync.Mutex
	catalog *calc.Catalog
	made    map[*calc.Entry][]byte // nil is all of them
}

// maxDocuments is how many are kept at most.
const maxDocuments = 64

// get returns the document of a capability, or that of all for nil. One is made at a time.
func (d *documents) get(of *calc.Entry) ([]byte, error) {
	catalog := d.service.Catalog()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.catalog != catalog || len(d.made) > maxDocuments {
		d.catalog, d.made = catalog, map[*calc.Entry][]byte{}
	}
	if document := d.made[of]; document != nil {
		return document, nil
	}
	document, err := d.make(catalog, of)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return nil, err
	}
	d.made[of] = bytes.Clone(compact.Bytes())
	return d.made[of], nil
}

func (d *documents) make(catalog *calc.Catalog, of *calc.Entry) ([]byte, error) {
	if of != nil {
		return openapi.OfCapability(of, d.service.BaseURL())
	}
	return openapi.Document(catalog, d.service.BaseURL())
}
