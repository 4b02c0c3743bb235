package study

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Recompute repeats a study from the text of its result, on the same release, and reports whether it gives the same
// bytes. The text can also be the record of a snapshot of the study. Recompute ignores warnings that a version was deprecated
// or yanked, because they can change. The error is a *problem.Problem if the text is not a result, or its release is not
// published here.
func Recompute(ctx context.Context, service *calc.Service, text []byte, o *Options) (same bool, now *Result, err error) {
	var was struct {
		Capability string          `json:"capability_id"`
		Release    string          `json:"release_digest"`
		Plan       json.RawMessage `json:"plan"`
		Warnings   []Tally         `json:"warnings"`
		Shown      *Shown          `json:"shown"`
		Result     json.RawMessage `json:"result"`
	}
	wrong := func(format string, args ...any) error {
		return problem.New(problem.CodeInvalidPlan, "Give the result of a study, as it was returned or stored in a snapshot.", format, args...)
	}
	text = bytes.TrimSpace(text)
	if err := json.Unmarshal(text, &was); err != nil {
		return false, nil, wrong("the text is not JSON: %v", err)
	}
	if was.Plan == nil && was.Result != nil { // a record of a snapshot
		text = was.Result
		if err := json.Unmarshal(text, &was); err != nil {
			return false, nil, wrong("the result is not a JSON object: %v", err)
		}
	}
	plan, err := strictjson.ParseObject(was.Plan)
	if err != nil {
		return false, nil, wrong("the text does not contain the plan of a study: %v", err)
	}
	s, err := Read(service, was.Capability, plan, nil, JSON)
	if err != nil {
		return false, nil, err
	}
	if s.Release.Digest != was.Release {
		return false, nil, fault(problem.CodeVersionMismatch, "release_digest", "Replay it with the registry that it was computed from.",
			"version %s of %s has the digest %s here, and the study was computed with %s", s.Plan.Version, was.Capability, s.Release.Digest, was.Release)
	}
	var choice *Choice
	if was.Shown != nil {
		choice, err = s.Choose(was.Shown.Units, was.Shown.Unit)
		if err != nil {
			return false, nil, err
		}
	}
	now, err = s.Run(ctx, o)
	if err == nil {
		err = choice.Show(now)
	}
	if err != nil {
		return false, nil, err
	}
	lifecycle := func(t Tally) bool { return catalog.IsLifecycleWarning(t.Code) }
	compared := *now
	compared.Warnings = slices.DeleteFunc(slices.Clone(now.Warnings), lifecycle)
	for _, t := range was.Warnings {
		if lifecycle(t) {
			compared.Warnings = append(compared.Warnings, t)
		}
	}
	recomputed, err := compared.AppendJSON(nil)
	if err != nil {
		return false, nil, fmt.Errorf("write the result: %w", err)
	}
	return bytes.Equal(bytes.TrimSpace(recomputed), text), now, nil
}

// IsResult reports whether the text of an answer is the result of a study.
func IsResult(text []byte) bool {
	var is struct{ Plan json.RawMessage }
	return json.Unmarshal(text, &is) == nil && is.Plan != nil
}
