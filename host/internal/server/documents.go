package server

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/openapi"
)

// documents are the OpenAPI documents of what is published. They are made when they are asked
// for, and kept until something else is published.
type documents struct {
	service *calc.Service

	mu      sync.Mutex
	catalog *catalog.Catalog
	made    map[*catalog.Entry][]byte // nil is all of them
}

// maxDocuments is how many are kept at most.
const maxDocuments = 64

// get returns the document of a capability, or that of all for nil. One is made at a time.
func (d *documents) get(of *catalog.Entry) ([]byte, error) {
	published := d.service.Catalog()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.catalog != published || len(d.made) > maxDocuments {
		d.catalog, d.made = published, map[*catalog.Entry][]byte{}
	}
	if document := d.made[of]; document != nil {
		return document, nil
	}
	document, err := d.make(published, of)
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

func (d *documents) make(catalog *catalog.Catalog, of *catalog.Entry) ([]byte, error) {
	if of != nil {
		return openapi.OfCapability(of, d.service.BaseURL())
	}
	return openapi.Document(catalog, d.service.BaseURL())
}
