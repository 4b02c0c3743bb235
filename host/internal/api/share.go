package api

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/sdk"
)

// postSnapshot computes and freezes in one step (spec 2.2).
func (s *server) postSnapshot(w http.ResponseWriter, r *http.Request) error {
	answer, err := s.calculate(w, r, "")
	if err != nil {
		return nameTool(err)
	}
	snap, err := s.freeze(r, answer)
	if err != nil {
		return err
	}
	h := w.Header()
	tellRelease(h, answer.Release)
	h.Set("Cache-Control", "no-store")
	h.Set("Location", "/api/v1/share/"+snap.ID)
	status := http.StatusOK
	if snap.Created {
		status = http.StatusCreated
	}
	answered := snap.Body
	if snap.Fallback {
		s.options.Log.Warn("snapshot store failed; an embedded id was given", "error", snap.Cause)
		answered = withWarning(answered)
	}
	writeBody(w, status, answered)
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

func (s *server) freeze(r *http.Request, a *calc.Answer) (snapshot.Snapshot, error) {
	spec := a.Success.Spec
	snap, err := s.options.Snapshots.Create(r.Context(), snapshot.Content{
		ToolID: spec.Tool, CapabilityID: spec.Capability, Version: spec.Version, EngineDigest: a.Release.EngineDigest,
		Inputs: sdk.AppendRecord(nil, spec.Inputs, a.Success.Outcome.Inputs),
		Result: a.Success.AppendJSON(nil),
	})
	if err != nil {
		return snap, storeProblem(err)
	}
	return snap, nil
}

// storeProblem is the problem of a snapshot that could not be written or read.
func storeProblem(err error) error {
	switch {
	case errors.Is(err, snapshot.ErrNotFound):
		return calc.NewProblem(calc.CodeSnapshotNotFound, "Check the id; short ids live for 180 days.", "there is no snapshot with this id")
	case errors.Is(err, snapshot.ErrUnavailable):
		return calc.StoreUnavailable(err)
	}
	return err
}

// withWarning adds to the record of a snapshot how it came to its id. The snapshot
// itself has no warnings, so that its bytes stay the same.
func withWarning(record []byte) []byte {
	const warning = `,"warnings":[{"code":"SNAPSHOT_STORE_UNAVAILABLE","severity":"info",` +
		`"detail":"The store of short ids could not be used, so this id carries the snapshot in itself.",` +
		`"suggestion":"Keep the whole id. Freeze again later for a short one."}]}`
	end := strings.LastIndexByte(string(record), '}')
	return append(append(record[:end:end], warning...), record[end+1:]...)
}

// getSnapshot answers GET /api/v1/share/{id} and /s/{id}.
func (s *server) getSnapshot(w http.ResponseWriter, r *http.Request) error {
	snap, err := s.options.Snapshots.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return storeProblem(err)
	}
	sum := sha256.Sum256(snap.Body)
	tag := `"sha256-` + hex.EncodeToString(sum[:]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, immutable", cacheSeconds(snap.ExpiresAt)))
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	writeBody(w, http.StatusOK, snap.Body)
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
