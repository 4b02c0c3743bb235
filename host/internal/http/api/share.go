package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/sdk"
)

// postSnapshot computes an answer and creates a snapshot of it (spec 2.2).
func (s *server) postSnapshot(w http.ResponseWriter, r *http.Request) error {
	req, err := web.ReadRequest(w, r, "", nil)
	if err != nil {
		return nameTool(err)
	}
	answer, err := s.calculate(w, r, req, limit.Share)
	if err != nil {
		return nameTool(err)
	}
	s.service.AddCalled(answer)
	snap, err := share.Create(r.Context(), s.options.Snapshots, answer)
	if err != nil {
		return err
	}
	web.SetAnswer(w.Header(), s.service.BaseURL(), answer)
	web.SetNoStore(w.Header())
	s.writeSnapshot(w, snap)
	return nil
}

// writeSnapshot writes the record of a snapshot for the caller who created it.
func (s *server) writeSnapshot(w http.ResponseWriter, snap snapshot.Snapshot) {
	w.Header().Set("Location", "/api/v1/share/"+snap.ID)
	status := http.StatusOK
	if snap.Created {
		status = http.StatusCreated
	}
	if snap.Fallback {
		s.options.Log.Warn("the snapshot store failed; the new snapshot has an embedded id", "error", snap.Cause)
	}
	web.WriteJSON(w, status, share.Answer(snap))
}

// nameTool changes the field id of a problem to tool_id, its name in a request for a snapshot.
func nameTool(err error) error {
	p := problem.Of(err)
	if p.Field != idKey {
		return err
	}
	p.Field = "tool_id"
	if p.Code == sdk.CodeMissingRequiredInput {
		p.Suggestion = `Send {"tool_id": "...", "inputs": {...}}; GET /api/v1/calc lists the ids.`
	}
	return p
}

// getSnapshot answers GET /api/v1/share/{id} and /s/{id}.
func (s *server) getSnapshot(w http.ResponseWriter, r *http.Request) error {
	snap, err := share.Get(r.Context(), s.options.Snapshots, r.PathValue("id"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, immutable", cacheSeconds(snap.ExpiresAt)))
	sum := sha256.Sum256(snap.Body)
	tag := `"sha256-` + hex.EncodeToString(sum[:]) + `"`
	h.Set("ETag", tag)
	if web.Matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	web.WriteJSON(w, http.StatusOK, snap.Body)
	return nil
}

// getSigned answers GET /api/v1/share/{id}/signed. Unlike the record, the signed copy can change: another key
// signs it if the first key was stolen.
func (s *server) getSigned(w http.ResponseWriter, r *http.Request) error {
	snap, err := share.Signed(r.Context(), s.options.Snapshots, r.PathValue("id"))
	if err == nil {
		web.WriteCacheable(w, r, snap.Body)
	}
	return err
}

// getKeys answers GET /.well-known/slipstick-keys.json.
func (s *server) getKeys(w http.ResponseWriter, r *http.Request) error {
	document, err := s.options.Snapshots.Keys().Public().JSON()
	if err == nil {
		web.WriteCacheable(w, r, document)
	}
	return err
}

// cacheSeconds returns how long caches may keep a snapshot: until it expires, but at most one day if it expires
// at all.
func cacheSeconds(expires time.Time) int {
	const year, day = 365 * 24 * time.Hour, 24 * time.Hour
	if expires.IsZero() {
		return int(year.Seconds())
	}
	return max(0, int(min(time.Until(expires), day).Seconds()))
}
