package page

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// readBack is what a form was understood as. The script of a page shows the hints and keeps
// the address; what people copy has the inputs.
type readBack struct {
	Query  string            `json:"query"`            // of the address that restores the form
	Inputs string            `json:"inputs,omitempty"` // of a request to the API, as JSON
	Hints  map[string]string `json:"hints,omitempty"`  // by field: what was understood
	Split  map[string]split  `json:"split,omitempty"`  // by field: a number that was typed with its unit
	Filled map[string]string `json:"filled,omitempty"` // by field: the row that was chosen for the whole form
}

// split is a number and the unit that was typed after it.
type split struct {
	Text string `json:"text"`
	Unit string `json:"unit"`
}

// unread is the answer to a form that has no result: what is wrong, in words for people.
type unread struct {
	readBack
	Title      string        `json:"title"`
	Detail     string        `json:"detail"`
	Suggestion string        `json:"suggestion,omitempty"`
	Missing    bool          `json:"missing"` // nothing is wrong but that something is not entered yet
	Items      []problemItem `json:"items"`
}

// readBack returns what the values were understood as.
func (s *formValues) readBack() readBack {
	b := readBack{Query: s.query(), Inputs: string(appendJSON(nil, s.inputs()))}
	for i := range s.values {
		f, e := &s.spec.Inputs[i], &s.values[i]
		if e.hint != "" {
			if b.Hints == nil {
				b.Hints = map[string]string{}
			}
			b.Hints[f.Name] = e.hint
		}
		if e.filled {
			if b.Filled == nil {
				b.Filled = map[string]string{}
			}
			b.Filled[f.Name] = e.row
		}
		if e.split {
			if b.Split == nil {
				b.Split = map[string]split{}
			}
			b.Split[f.Name] = split{e.text(), e.unit()}
		}
	}
	return b
}

// postLive answers a form that the script of a page sends: with the part of a page that shows
// the result, or with what is wrong as JSON. The form is read as without a script.
func (p *Pages) postLive(w http.ResponseWriter, r *http.Request) error {
	if err := web.CheckBody(w, r, formMedia); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := web.ReadBody(w, r, &body, maxForm, "form"); err != nil {
		return err
	}
	_, release, err := web.Find(p.service.Catalog(), r)
	if err != nil {
		return err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return err
	}
	s := p.withPresets(release, readPage(&release.Spec, body.String()+"&"+r.URL.RawQuery))
	s.view.forgetUnknown()
	if problem := s.view.problem(); problem != nil && s.broken == nil {
		return problem
	}
	web.SetNoStore(w.Header())
	a, err := p.calculate(r.Context(), s, pins)
	if err != nil {
		return p.explainLive(w, s, calc.ProblemOf(err))
	}
	web.SetAnswer(w.Header(), p.service.BaseURL(), a)
	sheet := p.newSheet(a, &s.view)
	sheet.Plots = p.draw(r.Context(), a, sheet.reading, s.query())
	sheet.Take = p.takeAlong(a.Release, s.query())
	sheet.Read, sheet.Share = s.readBack(), p.share(a.Release, s.query())
	p.addStudies(r, sheet, a, &s.view)
	html, err := execute("sheet", sheet)
	return writePage(w, r, html, err)
}

// explainLive answers with what is wrong with the inputs. Other problems are those of the API.
func (p *Pages) explainLive(w http.ResponseWriter, s *formValues, problem *calc.Problem) error {
	if problem.Status() != http.StatusBadRequest {
		return problem
	}
	words := newFieldProblem(problem, s, "")
	answer := unread{
		readBack: s.readBack(), Title: words.Title, Detail: words.Detail, Suggestion: words.Suggestion, Items: words.Items,
		Missing: s.isUnfinished(problem),
	}
	answer.Inputs = ""
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(text) // a caller who has left needs no answer
	return &web.Answered{Problem: problem}
}

const formMedia = "application/x-www-form-urlencoded"

// isForm reports whether the body of a request is a form.
func isForm(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == formMedia
}

// appendJSON appends a value as JSON. Numbers are written as they were.
func appendJSON(b []byte, v strictjson.Value) []byte {
	switch v.Kind {
	case strictjson.Number:
		return append(b, v.Text...)
	case strictjson.Bool:
		if v.Bool {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case strictjson.String:
		return appendString(b, v.Text)
	case strictjson.Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case strictjson.Object:
		b = append(b, '{')
		for i, m := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(append(appendString(b, m.Name), ':'), m.Value)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

func appendString(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string has JSON
	return append(b, quoted...)
}
