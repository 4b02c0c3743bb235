package api

import (
	"encoding/json"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/web"
)

// Readiness tells whether requests should be sent to this host.
type Readiness struct {
	Status     string            `json:"status"`               // ready, degraded or unready
	Releases   map[string]string `json:"releases,omitempty"`   // capability@version: ok, or the error
	Registry   string            `json:"registry,omitempty"`   // ok or the error
	Checkpoint string            `json:"checkpoint,omitempty"` // ok or the error; absent if none is configured
	Store      string            `json:"store,omitempty"`      // ok or the error; absent if none is configured
	Limits     string            `json:"limits,omitempty"`     // shared, or per process
}

// States of a Readiness.
const (
	Ready    = "ready"
	Degraded = "degraded" // something cannot be served
	Unready  = "unready"
)

// getLive answers as long as the process does.
func (s *server) getLive(w http.ResponseWriter, _ *http.Request) error {
	web.SetNoStore(w.Header())
	web.WriteJSON(w, http.StatusOK, []byte(`{"status":"live"}`+"\n"))
	return nil
}

// getReady answers 200 unless nothing can be served, or it has become unknown whether the
// served releases are the newest. With ?verbose the answer lists every release.
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
