package calculator

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// readBack is the meaning of a form for the script of its page. The script shows the hints and updates the URL; a reader
// who copies them gets the inputs.
type readBack struct {
	Query  string            `json:"query"`            // of the URL that restores the form
	Inputs string            `json:"inputs,omitempty"` // of a request to the API, as JSON
	Hints  map[string]string `json:"hints,omitempty"`  // by field: the meaning of its text
	Split  map[string]split  `json:"split,omitempty"`  // by field: a number that the reader typed with its unit
	Filled map[string]string `json:"filled,omitempty"` // by field: the row that the reader chose for the whole form
}

// split is a number and the unit that the reader typed after it.
type split struct {
	Text string `json:"text"`
	Unit string `json:"unit"`
}

// unread is the answer to a form without a result: the problem in words for people.
type unread struct {
	readBack
	Title      string                `json:"title"`
	Detail     string                `json:"detail"`
	Suggestion string                `json:"suggestion,omitempty"`
	Missing    bool                  `json:"missing"` // the only problem is that an input is not entered yet
	Items      []address.ProblemItem `json:"items"`
}

// readBackOf returns the meaning of the values.
func readBackOf(s *address.Values) readBack {
	b := readBack{Query: s.Query(), Inputs: string(appendJSON(nil, s.Inputs()))}
	for i := range s.Values {
		f, e := &s.Spec.Inputs[i], &s.Values[i]
		if e.Hint != "" {
			if b.Hints == nil {
				b.Hints = map[string]string{}
			}
			b.Hints[f.Name] = e.Hint
		}
		if e.Filled {
			if b.Filled == nil {
				b.Filled = map[string]string{}
			}
			b.Filled[f.Name] = e.Row
		}
		if e.Split {
			if b.Split == nil {
				b.Split = map[string]split{}
			}
			b.Split[f.Name] = split{e.Text(), e.Unit()}
		}
	}
	return b
}

// postResult answers POST /api/v1/calc and /api/v1/calc/{id} with the part of a page that shows the answer.
func (p *Pages) postResult(w http.ResponseWriter, r *http.Request) error {
	if isForm(r) && r.PathValue("id") != "" {
		return p.postLive(w, r)
	}
	req, err := web.ReadRequest(w, r, r.PathValue("id"), nil)
	if err != nil {
		return p.Service.RequestError(r.PathValue("id"), err)
	}
	answer, err := p.Service.Calculate(r.Context(), req)
	if err != nil {
		return err
	}
	web.SetAnswer(w.Header(), p.Service.BaseURL(), answer)
	web.SetNoStore(w.Header())
	html, err := p.result(r, answer, req.Inputs)
	return site.WritePage(w, r, html, err)
}

// postLive answers a form that the script of a page sends. It answers with the part of a page that shows the result, or
// with the problem as JSON. It reads the form in the same way as a form without a script.
func (p *Pages) postLive(w http.ResponseWriter, r *http.Request) error {
	if err := web.CheckBody(w, r, formMedia); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := web.ReadBody(w, r, &body, address.MaxForm, "form"); err != nil {
		return err
	}
	_, release, err := web.Find(p.Service.Catalog(), r)
	if err != nil {
		return err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return err
	}
	s := address.ReadPage(&release.Spec, body.String()+"&"+r.URL.RawQuery, site.Speaks(w, r)).WithPresets(p.Service, release)
	s.View.ForgetUnknown()
	if failure := s.View.Problem(); failure != nil && s.Broken == nil {
		return failure
	}
	web.SetNoStore(w.Header())
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		return p.explainLive(w, s, problem.Of(err))
	}
	web.SetAnswer(w.Header(), p.Service.BaseURL(), a)
	sheet := p.newSheet(a, &s.View)
	sheet.Plots = p.draw(r.Context(), a, sheet.reading, s.Query())
	sheet.Take = p.exports(a.Release, s.Named())
	sheet.Read, sheet.Share = readBackOf(s), p.share(a.Release, s.Query())
	sheet.Studies = *p.vary.Studies(r, a, &s.View, sheet.Current == "")
	html, err := templates.Execute("sheet", sheet)
	return site.WritePage(w, r, html, err)
}

// explainLive answers with the problem of the inputs as JSON. It returns other problems, and the API answers with them.
func (p *Pages) explainLive(w http.ResponseWriter, s *address.Values, failure *problem.Problem) error {
	if failure.Status() != http.StatusBadRequest {
		return failure
	}
	words := address.NewFieldProblem(failure, s, "")
	answer := unread{
		readBack: readBackOf(s), Title: words.Title, Detail: words.Detail, Suggestion: words.Suggestion, Items: words.Items,
		Missing: s.IsUnfinished(failure),
	}
	answer.Inputs = ""
	for _, item := range words.Items {
		delete(answer.Hints, item.Field)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(text) // a client that has disconnected needs no answer
	return &web.Answered{Problem: failure}
}

const formMedia = "application/x-www-form-urlencoded"

// isForm reports whether the body of a request is a form.
func isForm(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == formMedia
}

// appendJSON appends a value as JSON, with each number as it was sent.
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
	quoted, _ := json.Marshal(text) // a string always has JSON
	return append(b, quoted...)
}
