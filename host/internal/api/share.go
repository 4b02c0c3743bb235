package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/freeze"
	"github.com/slipstick/slipstick/host/internal/snapshot"
)

// postSnapshot computes and freezes in one step (spec 2.2).
func (s *server) postSnapshot(w http.ResponseWriter, r *http.Request) error {
	answer, err := s.calculate(w, r, "")
	if err != nil {
		return nameTool(err)
	}
	snap, err := freeze.Create(r.Context(), s.options.Snapshots, answer)
	if err != nil {
		return err
	}
	h := w.Header()
	s.tellRelease(h, answer.Release)
	h.Set("Cache-Control", "no-store")
	h.Set("Location", "/api/v1/share/"+snap.ID)
	status := http.StatusOK
	if snap.Created {
		status = http.StatusCreated
	}
	if snap.Fallback {
		s.options.Log.Warn("snapshot store failed; an embedded id was given", "error", snap.Cause)
	}
	writeBody(w, status, freeze.Answer(snap))
	return nil
}

// nameTool gives a problem with the id the name that the id has in a request to
// freeze.
func nameTool(err error) error {
	if p := calc.ProblemOf(err); p.Field == "id" {
		p.Field = "tool_id"
		return p
	}
	return err
}

// getSnapshot answers GET /api/v1/share/{id} and /s/{id}.
func (s *server) getSnapshot(w http.ResponseWriter, r *http.Request) error {
	snap, err := freeze.Get(r.Context(), s.options.Snapshots, r.PathValue("id"))
	if err != nil {
		return err
	}
	h := w.Header()
	if r.Pattern == publicSnapshot && s.forPeople(w, r) {
		return s.writeSnapshotPage(w, r, snap)
	}
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, immutable", cacheSeconds(snap.ExpiresAt)))
	sum := sha256.Sum256(snap.Body)
	tag := `"sha256-` + hex.EncodeToString(sum[:]) + `"`
	h.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	writeBody(w, http.StatusOK, snap.Body)
	return nil
}

// publicSnapshot is the address of a snapshot that people are given.
const publicSnapshot = "/s/{id}"

// writeSnapshotPage shows the snapshot to people. The page tells more than the record, such
// as whether its version is still published, so it is kept for a minute only.
func (s *server) writeSnapshotPage(w http.ResponseWriter, r *http.Request, snap snapshot.Snapshot) error {
	html, err := s.options.Pages.Snapshot(r.Context(), snap)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "public, max-age=60")
	s.options.Pages.Write(w, r, http.StatusOK, html)
	return nil
}

// cacheSeconds is how long a snapshot may be kept by caches: never longer than it
// lives, and a day at a time where it does not live for ever.
func cacheSeconds(expires time.Time) int {
	const year, day = 365 * 24 * time.Hour, 24 * time.Hour
	if expires.IsZero() {
		return int(year.Seconds())
	}
	return max(0, int(min(time.Until(expires), day).Seconds()))
}
