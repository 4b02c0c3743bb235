package api

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Readiness tells whether requests should be sent to this host.
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

// States of a Readiness, from the best to the worst.
const (
	Ready    = "ready"
	Degraded = "degraded" // something cannot be served
	Unready  = "unready"
)

// Reason is one thing that keeps a host from being ready.
type Reason struct {
	Code   string `json:"code"`             // stable, for programs
	Detail string `json:"detail,omitempty"` // for people; sent with ?verbose only
}

// Codes of reasons.
const (
	ReasonDraining   = "DRAINING"   // the host is ending
	ReasonNoEngine   = "NO_ENGINE"  // no current release can be asked
	ReasonEngines    = "ENGINES"    // a current release cannot be asked
	ReasonRegistry   = "REGISTRY"   // the registry is not as it should be
	ReasonCheckpoint = "CHECKPOINT" // the checkpoint of the registry has expired, or its file does not count
	ReasonStore      = "STORE"      // Redis cannot be reached, or the file of snapshots cannot be used
	ReasonLimits     = "LIMITS"     // Redis was too late to judge calls, and the host judged them alone
	ReasonNumbers    = "NUMBERS"    // results of a served version changed, or are not what its formula or its vectors give
	ReasonLedger     = "LEDGER"     // records of answers cannot be kept, or some were lost in the last minute
	ReasonKeys       = "KEYS"       // the keys of snapshots differ from those of other hosts
	ReasonOutOfDate  = "BEHIND"     // other hosts serve a current version that this host does not have
	ReasonWaiting    = "WAITING"    // the registry makes a version current that other hosts cannot serve yet
	ReasonAlone      = "ALONE"      // what the hosts agree on cannot be read
)

// Add adds a reason for the state. The readiness has the worst state that was added. What is
// Unready comes before what is only Degraded.
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

// brief is what is sent without ?verbose: no more than the state and the codes of its reasons.
func (r *Readiness) brief() Readiness {
	b := Readiness{Status: r.Status}
	for _, reason := range r.Reasons {
		b.Reasons = append(b.Reasons, Reason{Code: reason.Code})
	}
	return b
}

// getLive answers as long as the process does.
func (s *server) getLive(w http.ResponseWriter, _ *http.Request) error {
	web.SetNoStore(w.Header())
	web.WriteJSON(w, http.StatusOK, []byte(`{"status":"live"}`+"\n"))
	return nil
}

// getReady answers 200 unless nothing can be served, it has become unknown whether the served
// releases are the newest, or the host is ending. With ?verbose the answer lists every release.
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
