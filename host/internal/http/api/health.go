package api

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Readiness reports whether a load balancer should send requests to this server.
type Readiness struct {
	Status     string            `json:"status"`               // ready, degraded or unready
	Reasons    []Reason          `json:"reasons,omitempty"`    // why it is not ready, worst first; absent if it is
	Releases   map[string]string `json:"releases,omitempty"`   // capability@version: ok, or the error
	Registry   string            `json:"registry,omitempty"`   // ok or the error
	Checkpoint string            `json:"checkpoint,omitempty"` // ok or the error; absent if none is configured
	Store      string            `json:"store,omitempty"`      // ok or the error; absent if snapshots are not stored
	Limits     string            `json:"limits,omitempty"`     // shared, or per process
	Ledger     string            `json:"ledger,omitempty"`     // ok or the error; absent if none is kept
}

// States of a Readiness, from best to worst.
const (
	Ready    = "ready"
	Degraded = "degraded" // the server cannot serve everything
	Unready  = "unready"
)

// Reason is one thing that keeps a server from being ready.
type Reason struct {
	Code   string `json:"code"`             // stable, for programs
	Detail string `json:"detail,omitempty"` // for people; sent with ?verbose only
}

// Codes of reasons.
const (
	ReasonDraining   = "DRAINING"   // the server is shutting down
	ReasonNoEngine   = "NO_ENGINE"  // no current release can answer
	ReasonEngines    = "ENGINES"    // a current release cannot answer
	ReasonRegistry   = "REGISTRY"   // the registry has errors
	ReasonCheckpoint = "CHECKPOINT" // the checkpoint of the registry has expired, or its file is not valid
	ReasonStore      = "STORE"      // Redis cannot be reached, or the file of snapshots cannot be used
	ReasonLimits     = "LIMITS"     // Redis answered too late, and the server applied the limits alone
	ReasonNumbers    = "NUMBERS"    // results of a served version changed, or are not what its formula or its vectors give
	ReasonLedger     = "LEDGER"     // the ledger cannot keep records, or lost some in the last minute
	ReasonKeys       = "KEYS"       // the snapshot keys differ from the keys of other servers
	ReasonOutOfDate  = "BEHIND"     // other servers serve a current version that this server does not have
	ReasonWaiting    = "WAITING"    // the registry makes a version current that other servers cannot serve yet
	ReasonAlone      = "ALONE"      // the server cannot read what the servers agreed on
)

// Add adds a reason for the state. The status becomes the worst status that was added. Reasons for Unready come
// before reasons for Degraded.
func (r *Readiness) Add(status string, reason Reason) {
	if status == Unready {
		r.Status = Unready
		r.Reasons = slices.Insert(r.Reasons, 0, reason)
		return
	}
	if r.Status == Ready {
		r.Status = status
	}
	r.Reasons = append(r.Reasons, reason)
}

// brief returns the answer without ?verbose: the status and the codes of its reasons.
func (r *Readiness) brief() Readiness {
	b := Readiness{Status: r.Status}
	for _, reason := range r.Reasons {
		b.Reasons = append(b.Reasons, Reason{Code: reason.Code})
	}
	return b
}

// getLive answers GET /livez: 200 as long as the process can answer.
func (s *server) getLive(w http.ResponseWriter, _ *http.Request) error {
	web.SetNoStore(w.Header())
	web.WriteJSON(w, http.StatusOK, []byte(`{"status":"live"}`+"\n"))
	return nil
}

// getReady answers GET /readyz. The status is 503 if the server can serve nothing, cannot find out whether its
// releases are the newest, or is shutting down. With ?verbose the answer lists every release.
func (s *server) getReady(w http.ResponseWriter, r *http.Request) error {
	state := Readiness{Status: Ready}
	if s.options.Ready != nil {
		state = s.options.Ready(r.Context())
	}
	if !r.URL.Query().Has(verboseKey) {
		state = state.brief()
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
