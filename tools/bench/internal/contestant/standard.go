package contestant

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
)

// standard is typical Go code with encoding/json.
type standard struct {
	known *learned
	*http.ServeMux
}

func newStandard(known *learned) *standard {
	s := &standard{known, http.NewServeMux()}
	s.HandleFunc("POST "+calcPath+"{id}", s.calculate)
	s.HandleFunc("POST "+batchPath, s.batch)
	return s
}

// sent is the inputs as they are sent: a nil one is missing.
type sent struct {
	Span    *float64 `json:"span"`
	Width   *float64 `json:"width"`
	Depth   *float64 `json:"depth"`
	Modulus *float64 `json:"modulus"`
	Load    *float64 `json:"load"`
	Force   *float64 `json:"force"`
	Couple  *float64 `json:"couple"`
	Axial   *float64 `json:"axial"`
}

func (s *sent) input() (beam.Input, error) {
	for _, required := range []struct {
		name  string
		value *float64
	}{
		{"span", s.Span}, {"width", s.Width}, {"depth", s.Depth}, {"modulus", s.Modulus},
		{"load", s.Load}, {"force", s.Force}, {"couple", s.Couple}, {"axial", s.Axial},
	} {
		if required.value == nil {
			return beam.Input{}, fmt.Errorf("%s is missing", required.name)
		}
	}
	in := beam.Input{
		Span: *s.Span, Width: *s.Width, Depth: *s.Depth, Modulus: *s.Modulus,
		Load: *s.Load, Force: *s.Force, Couple: *s.Couple, Axial: *s.Axial,
	}
	if !in.Valid() {
		return in, errors.New("span, width, depth and modulus must be positive")
	}
	return in, nil
}

func (s *standard) calculate(w http.ResponseWriter, r *http.Request) {
	var body sent
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply, err := s.answer(r.PathValue("id"), &body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}

// batch answers each line of the body with a line.
func (s *standard) batch(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).EnableFullDuplex()
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := bufio.NewWriterSize(w, 64<<10)
	defer out.Flush()
	in, to := json.NewDecoder(r.Body), json.NewEncoder(out)
	for {
		var row struct {
			ID     string `json:"id"`
			Inputs sent   `json:"inputs"`
		}
		err := in.Decode(&row)
		if err == io.EOF {
			return
		}
		var reply *answer
		if err == nil {
			reply, err = s.answer(row.ID, &row.Inputs)
		}
		if err != nil {
			_ = to.Encode(map[string]string{"status": "error", "detail": err.Error()})
			return
		}
		if to.Encode(reply) != nil {
			return // the client has disconnected
		}
	}
}

func (s *standard) answer(id string, body *sent) (*answer, error) {
	if id != s.known.common.Tool {
		return nil, fmt.Errorf("no calculation is named %q", id)
	}
	in, err := body.input()
	if err != nil {
		return nil, err
	}
	out := beam.Middle(in)
	reply := s.known.common
	reply.Inputs, reply.Result = inputs(in), result(out)
	reply.Detail.Value = reply.Result
	reply.Detail.Formatted = fmt.Sprintf("deflection=%.6g m; moment=%.6g N m; reaction=%.6g N; stress=%.6g Pa",
		out.Deflection, out.Moment, out.Reaction, out.Stress)
	return &reply, nil
}
