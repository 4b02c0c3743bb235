package api

import (
	"encoding/json"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/web"
)

// Readiness says whether requests should be sent here.
type Readiness struct {
	Status     string            `json:"status"`               // ready, degraded or unready
	Releases   map[string]string `json:"releases,omitempty"`   // capability@version: ok, or what is wrong
	Registry   string            `json:"registry,omitempty"`   // ok or what is wrong
	Checkpoint string            `json:"checkpoint,omitempty"` // ok or what is wrong; absent if none is configured
	Store      string            `json:"store,omitempty"`      // ok or what is wrong; absent if none is configured
	Limits     string            `json:"limits,omitempty"`     // shared, or per process
}

// States of a Readiness.
const (
	Ready    = "ready"
	Degraded = "degraded" // answers, but not everything
	Unready  = "unready"
)

// getLive answers as long as the process does.
func (s *server) getLive(w http.ResponseWriter, _ *http.Request) error {
	web.SetNoStore(w.Header())
	web.WriteJSON(w, http.StatusOK, []byte(`{"status":"live"}`+"\n"))
	return nil
}

// getReady answers 200 unless nothing can be served, or nobody can tell any more whether
// what is served is the newest. With ?verbose it says so of every release.
func (s *server) getReady(w http.ResponseWriter, r *http.Request) error {
	state := Readiness{Status: Ready}
	if s.options.Ready != nil {
		state = s.options.Ready(r.Context())
	}
	if !r.URL.Query().Has("verbose") {
		state = Readiness{Status: state.Status}
	}
	body, err := json.Marshal(state)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if state.Status == Unready {
		status = http.StatusServiceUnavailable
	}
	web.SetNoStore(w.Header())
	web.WriteJSON(w, status, append(body, '\n'))
	return nil
}
