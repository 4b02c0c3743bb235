package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/hostkeys"
)

// MaxRecord is the maximum size of a record, in bytes.
const MaxRecord = 2 * maxContent

// ErrUnchecked means that an id cannot be checked here, because there are no keys, or other keys
// made it.
var ErrUnchecked = errors.New("not checked")

// Record is the record of a snapshot, read without a store.
type Record struct {
	ID string
	Content

	checked   *checked
	body      []byte     // without a signature
	expires   time.Time  // zero if it does not expire
	signature *signature // of a signed copy
}

// ReadRecord reads the record of a snapshot, or a signed copy. The bytes must be exactly the bytes
// that the service writes. To verify that the id belongs to the record, use [Record.Check] or
// [Record.CheckPublic].
func ReadRecord(body []byte) (*Record, error) {
	var doc struct {
		ID         string          `json:"id"`
		Tool       string          `json:"tool_id"`
		Capability string          `json:"capability_id"`
		Version    string          `json:"calculation_version"`
		Inputs     json.RawMessage `json:"inputs"`
		Result     json.RawMessage `json:"result"`
		CreatedAt  time.Time       `json:"created_at"`
		ExpiresAt  time.Time       `json:"expires_at"`
		Digest     string          `json:"engine_digest"`
		Signature  *signature      `json:"signature"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, fmt.Errorf("this is not a snapshot or a receipt, which are JSON objects: %w", err)
	}
	r := &Record{ID: doc.ID, Content: Content{
		ToolID: doc.Tool, CapabilityID: doc.Capability, Version: doc.Version, EngineDigest: doc.Digest,
		Inputs: doc.Inputs, Result: doc.Result, CreatedAt: doc.CreatedAt,
	}, expires: doc.ExpiresAt, signature: doc.Signature}
	var err error
	r.checked, err = check(r.Content, doc.CreatedAt)
	if err != nil {
		return nil, fmt.Errorf("this is not a snapshot or a receipt, which are JSON objects: %w", err)
	}
	r.body = r.checked.appendRecord(nil, doc.ID, doc.ExpiresAt)
	whole := r.body
	if r.signature != nil {
		whole = appendSignature(r.body, *r.signature)
	}
	if !bytes.Equal(whole, bytes.TrimRight(body, "\n")) {
		return nil, errors.New("the record was changed: it is not written as snapshots are; fetch it again from /s/{id}")
	}
	return r, nil
}

// ReadEmbedded returns the record in an embedded id. To verify who made it, use [Record.Check].
func ReadEmbedded(id string) (*Record, error) {
	body, _, err := splitEmbedded(id)
	if err != nil {
		return nil, err
	}
	f, err := parseBody(body)
	if err != nil {
		return nil, err
	}
	return ReadRecord(f.appendRecord(nil, id, time.Time{}))
}

// Check returns nil if one of the keys made exactly this record under its id. If this cannot be
// decided, the error is ErrUnchecked. If no key made the record, it is another error.
func (r *Record) Check(keys *Keys) error {
	if err := r.carried(); err != nil {
		return err
	}
	embedded := strings.HasPrefix(r.ID, embeddedPrefix)
	switch {
	case keys == nil:
		return fmt.Errorf("%w: it needs the keys of the server that created it", ErrUnchecked)
	case embedded:
		body, _, _ := splitEmbedded(r.ID)
		if _, known := keys.public[keyID(body)]; !known {
			return fmt.Errorf("%w: another key signed it, %x", ErrUnchecked, body[:keyIDSize])
		}
		if _, err := decodeEmbedded(r.ID, keys); err != nil {
			return errors.New("the signature does not hold")
		}
	case !isShort(r.ID):
		return fmt.Errorf("the id %.100q is not a snapshot id", r.ID)
	case !keys.derives(r.checked, r.ID):
		return fmt.Errorf("%w: these keys do not derive the id from this record; the record was changed, or another server created it", ErrUnchecked)
	case r.signature != nil:
		_, err := r.CheckPublic(hostkeys.Set{{Document: keys.Public()}})
		return err
	}
	return nil
}

// carried returns an error if the id is embedded and contains another record.
func (r *Record) carried() error {
	if !strings.HasPrefix(r.ID, embeddedPrefix) {
		return nil
	}
	carried, err := ReadEmbedded(r.ID)
	if err != nil || !bytes.Equal(carried.body, r.body) {
		return errors.New("the record is not the one that its id carries: one of them was changed")
	}
	return nil
}

// KeysOf returns the public keys of a data directory and of the configuration. The set is empty if
// there are none.
func KeysOf(data string, configured ...string) (hostkeys.Set, error) {
	keys, err := FindKeys(filepath.Join(data, "keys"), configured...)
	if err != nil || keys == nil {
		return nil, err
	}
	return hostkeys.Set{{Name: data, Document: keys.Public()}}, nil
}

// FindKeys returns the keys of the configuration and of the directory, as [LoadKeys] does. It
// creates no key, and returns nil if there are none.
func FindKeys(dir string, configured ...string) (*Keys, error) {
	names, err := keyFiles(dir)
	if err != nil || len(names) == 0 && len(configured) == 0 {
		return nil, err
	}
	return LoadKeys(dir, configured...)
}
