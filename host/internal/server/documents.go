package server

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/openapi"
)

// documents has the OpenAPI documents of the catalog. They are created on request, and kept until
// the catalog changes.
type documents struct {
	service *calc.Service
	licence string

	mu      sync.Mutex
	catalog *catalog.Catalog
	cached  map[*catalog.Entry][]byte // the key nil is the document of all capabilities
}

// maxDocuments is the maximum number of kept documents.
const maxDocuments = 64

// get returns the document of a capability, or of all capabilities for nil. One document is created
// at a time.
func (d *documents) get(of *catalog.Entry) ([]byte, error) {
	published := d.service.Catalog()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.catalog != published || len(d.cached) > maxDocuments {
		d.catalog, d.cached = published, map[*catalog.Entry][]byte{}
	}
	if document := d.cached[of]; document != nil {
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
	d.cached[of] = bytes.Clone(compact.Bytes())
	return d.cached[of], nil
}

func (d *documents) make(catalog *catalog.Catalog, of *catalog.Entry) ([]byte, error) {
	if of != nil {
		return openapi.OfCapability(of, d.described())
	}
	return openapi.Document(catalog, d.described())
}

func (d *documents) described() openapi.Service {
	return openapi.Service{BaseURL: d.service.BaseURL(), Licence: d.licence}
}
