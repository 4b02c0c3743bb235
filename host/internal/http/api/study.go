package api

import (
	"bytes"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Forms of the answer to a study.
const (
	asJSON     = "json"
	asSnapshot = "snapshot"
)

// postStudy answers POST /api/v1/study and /api/v1/study/{id}. A study counts as a batch: it takes a place and
// memory from the budgets of batches, and its calculations count as rows.
func (s *server) postStudy(w http.ResponseWriter, r *http.Request) error {
	made, form, choice, err := s.readStudy(w, r)
	if err != nil {
		return s.service.RequestError(r.PathValue("id"), err)
	}
	client, bounds := s.options.Batches.Clients.Of(r), &s.options.Batches
	if err := s.startBatch(client); err != nil {
		return err
	}
	defer bounds.Places.Release(client, 1)
	held, err := bounds.Rows.Acquire(r.Context(), client, made.Memory())
	if err != nil {
		return err
	}
	defer bounds.Rows.Release(client, held)
	found, err := made.Run(r.Context(), &study.Options{Admit: bounds.Clients.Counter(r, limit.Calc)})
	if err != nil {
		return err
	}
	table, err := choice.In(found)
	if err != nil {
		return err
	}
	h := w.Header()
	web.SetRelease(h, s.service.BaseURL(), made.Release)
	web.SetNoStore(h)
	for _, t := range found.Warnings {
		h.Add(headerWarnings, t.Code)
	}
	switch form {
	case asCSV:
		text, err := table.Table(nil).CSV()
		if err != nil {
			return err
		}
		h.Set("Content-Type", mediaTable)
		_, err = w.Write(text)
		return err
	case asSnapshot:
		return s.writeStudySnapshot(w, r, made, found)
	}
	if err := choice.Show(found); err != nil {
		return err
	}
	text, err := found.AppendJSON(nil)
	if err == nil {
		web.WriteJSON(w, http.StatusOK, text)
	}
	return err
}

// readStudy reads a plan, the form of the result, and the units of its table.
func (s *server) readStudy(w http.ResponseWriter, r *http.Request) (made *study.Study, form string, choice *study.Choice, err error) {
	if err := web.CheckBody(w, r, web.JSON); err != nil {
		return nil, "", nil, err
	}
	var body bytes.Buffer
	if err := web.ReadBody(w, r, &body, strictjson.MaxBytes, "body"); err != nil {
		return nil, "", nil, err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return nil, "", nil, err
	}
	forms := []string{asJSON, asCSV}
	if s.options.Snapshots != nil {
		forms = append(forms, asSnapshot)
	}
	query := r.URL.Query()
	form, err = oneOf(query, outputKey, forms...)
	if err != nil {
		return nil, "", nil, err
	}
	system, err := systemOf(query)
	if err != nil {
		return nil, "", nil, err
	}
	for _, key := range []string{unitsKey, unitKey} {
		if form == asSnapshot && query.Has(key) {
			return nil, "", nil, problem.InvalidParameter(key, "Leave "+key+" out. The page of a snapshot takes units.", "a snapshot has the units of the API")
		}
	}
	plan, err := calc.ReadObject(body.Bytes())
	if err != nil {
		return nil, "", nil, err
	}
	made, err = study.Read(s.service, r.PathValue("id"), plan, pins, study.JSON)
	if err != nil {
		return nil, "", nil, err
	}
	choice, err = made.Choose(system, query[unitKey])
	if err != nil {
		return nil, "", nil, ofParameter(err)
	}
	return made, form, choice, nil
}

// writeStudySnapshot creates a snapshot of the result of a study, and writes the record of the snapshot.
func (s *server) writeStudySnapshot(w http.ResponseWriter, r *http.Request, made *study.Study, found *study.Result) error {
	snap, err := share.Study(r.Context(), s.options.Snapshots, made, found)
	if err != nil {
		return err
	}
	s.writeSnapshot(w, snap)
	return nil
}
