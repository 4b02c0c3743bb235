package api

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// Media types of answers that a spreadsheet cell can take.
const (
	mediaText  = "text/plain; charset=utf-8"
	mediaCSV   = "text/csv"
	mediaTable = mediaCSV + "; charset=utf-8; header=present"
)

// headerWarnings is the header field for the codes of warnings, which a cell has no space for.
const headerWarnings = "Slipstick-Warnings"

// getValue answers GET /api/v1/value/{id}: one result as text, several results as CSV.
func (s *server) getValue(w http.ResponseWriter, r *http.Request) error {
	query, err := problem.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return err
	}
	d := s.options.Batches.Clients.Allow(r, limit.Calc)
	d.SetHeader(w.Header())
	if !d.Allowed {
		return problem.RateLimited(d.Limit, d.RetryAfterSeconds())
	}
	pins, err := web.Pins(r)
	if err != nil {
		return err
	}
	_, release, err := s.service.CatalogFor(pins).Release(r.PathValue("id"), pins)
	if err != nil {
		return err
	}
	choice, err := outputs.Choose(&release.Spec, outputNames(query), query[unitKey])
	if err != nil {
		return ofParameter(err)
	}
	decimals, err := decimalsOf(query)
	if err != nil {
		return err
	}
	if _, err := oneOf(query, errorsKey, "status", "text"); err != nil {
		return err
	}
	inputs, err := inputsOf(&release.Spec, query, decimals)
	if err != nil {
		return err
	}
	pin := versions.Pin{Place: versions.InQuery, Name: versions.PinName, Value: release.Version} // the release that describes the inputs
	answer, err := s.service.Calculate(r.Context(), calc.Request{ID: r.PathValue("id"), Inputs: inputs, Pins: append(pins, pin)})
	if err != nil {
		return err
	}
	texts, err := choice.AppendTexts(nil, &answer.Success.Outcome, decimals)
	if err != nil {
		return err
	}
	web.SetRelease(w.Header(), s.service.BaseURL(), release)
	for _, code := range answer.Success.WarningCodes() {
		w.Header().Add(headerWarnings, code)
	}
	if len(texts) == 1 {
		web.WriteCacheableAs(w, r, mediaText, []byte(texts[0]))
		return nil
	}
	web.WriteCacheableAs(w, r, mediaTable, csvOf(choice.Header(), texts, decimals))
	return nil
}

// csvOf returns a header and a record. Semicolons separate the cells if decimals have a comma.
func csvOf(header, record []string, decimals typed.Decimals) []byte {
	var body bytes.Buffer
	out := csv.NewWriter(&body)
	if decimals == typed.Comma {
		out.Comma = ';'
	}
	for i := range record {
		record[i] = outputs.HarmlessCell(record[i])
	}
	_ = out.WriteAll([][]string{header, record}) // a buffer accepts all writes
	return body.Bytes()
}

// failValue writes the problem in one line, so that a spreadsheet cell can show it. Spreadsheets show nothing
// of an answer with an error status, so errors=text sets the status 200.
func (s *server) failValue(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	status := p.Status()
	if r.URL.Query().Get(errorsKey) == "text" {
		status = http.StatusOK
	}
	web.SetRetry(w.Header(), p)
	web.SetNoStore(w.Header())
	w.Header().Add("Link", "<"+s.service.BaseURL()+"/problems/"+p.Slug()+`>; rel="help"`) // which one line has no space for
	w.Header().Set("Content-Type", mediaText)
	w.WriteHeader(status)
	line := strings.Join(strings.Fields(p.Code+": "+p.Message()), " ")
	_, _ = w.Write([]byte(line)) // a caller who has left needs no answer
}

// oneOf returns the value of a parameter. If the parameter is present, its value must be one of the values.
func oneOf(query url.Values, key string, values ...string) (string, error) {
	if !query.Has(key) {
		return "", nil
	}
	text := query.Get(key)
	if !slices.Contains(values, text) {
		return "", problem.InvalidParameter(key, "Send "+key+"="+strings.Join(values, ", or "+key+"=")+", or leave it out.", "%q is not a value of %s", request.Clip(text), key)
	}
	return text, nil
}

// ofParameter returns the error of a choice of outputs as a problem of the query parameter.
func ofParameter(err error) error {
	p := problem.Of(err)
	if p.Code == request.CodeUnknownOutput || p.Code == sdk.CodeConflictingInputs {
		p.Code = problem.CodeInvalidQuery
	}
	return p
}

func decimalsOf(query url.Values) (typed.Decimals, error) {
	text, err := oneOf(query, decimalKey, string(typed.Point), string(typed.Comma))
	return typed.Decimals(text), err
}

// outputNames returns the names of the requested outputs, which commas can separate.
func outputNames(query url.Values) []string {
	var names []string
	for _, text := range query[outputKey] {
		names = append(names, strings.Split(text, ",")...)
	}
	return names
}

// inputsOf returns the inputs among the parameters. It leaves out an empty parameter, because an empty cell is
// not an input.
func inputsOf(spec *sdk.Spec, query url.Values, decimals typed.Decimals) (strictjson.Value, error) {
	inputs := strictjson.Value{Kind: strictjson.Object}
	parameters := valueQuery.Names()
	var names []string
	for name := range query {
		if !slices.Contains(parameters, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if spec.Input(name) < 0 && meansParameter(spec, name) {
			return inputs, problem.UnknownParameters([]string{name}, parameters, "")
		}
		if len(query[name]) > 1 {
			return inputs, sdk.Conflict(request.Clip(name), "%s is given twice", request.Clip(name)).Suggest("Give each input once.")
		}
		text := strings.TrimSpace(query[name][0])
		if text == "" && spec.Input(name) >= 0 {
			continue
		}
		member := strictjson.Member{Name: name, Value: strictjson.Value{Kind: strictjson.String, Text: text}}
		if at := spec.Input(name); at >= 0 {
			v, err := typed.Cell(&spec.Inputs[at], typed.FromAddress(&spec.Inputs[at], text), "", decimals)
			if err != nil {
				return inputs, err
			}
			member.Value = v
		}
		inputs.Members = append(inputs.Members, member)
	}
	return inputs, nil
}

// meansParameter reports whether a name that is not an input is probably a misspelt parameter rather than a
// misspelt input.
func meansParameter(spec *sdk.Spec, name string) bool {
	parameters := valueQuery.Names()
	guess, near := problem.GuessParameter(name, slices.Concat(request.Names(spec.Inputs), parameters))
	return near && slices.Contains(parameters, guess)
}
