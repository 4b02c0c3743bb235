package catalog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/versions"
)

// asOf returns the version that was current at the time in the pins, according to the transparency log of
// the registry. Exact pins must name the same version.
func (e *Entry) asOf(times, exact []versions.Pin, pin string) (string, error) {
	at, err := versions.AgreeOnTime(times)
	if err != nil {
		return "", err
	}
	h, then := e.History, at.UTC().Format(time.RFC3339)
	switch {
	case h == nil:
		return "", e.unknownThen("The operator of the registry can create a log with slipstick log init.", "the registry has no transparency log, so the version that was current on %s is unknown", then)
	case h.Err() != nil:
		p := e.unknownThen("Try again later.", "the transparency log of the registry is not trusted here, so the version that was current on %s is unknown", then)
		p.Cause = h.Err()
		return "", p
	case h.Start().IsZero() || at.Before(h.Start()):
		return "", e.unknownThen(fmt.Sprintf("Give %s or a later time.", h.Start().UTC().Format(time.RFC3339)), "the transparency log of the registry starts after %s", then)
	case h.ReadUntil().Before(h.Start()):
		return "", e.unknownThen("Try again later.", "the transparency log of the registry has not been read yet, so the version that was current on %s is unknown", then)
	case at.After(h.ReadUntil()):
		return "", e.unknownThen(fmt.Sprintf("Give %s or an earlier time.", h.ReadUntil().UTC().Format(time.RFC3339)), "the transparency log of the registry has not been read up to %s", then)
	}
	version := h.At(at)
	switch {
	case version == "":
		return "", e.unknownThen("Give another time.", "%s had no current version on %s", e.ID, then)
	case len(exact) > 0 && version != pin:
		return "", &versions.ConflictError{Pins: append(slices.Clone(exact[:1]), times[0])}
	}
	return version, nil
}

// unknownThen returns the problem of a time for which the current version is unknown.
func (e *Entry) unknownThen(suggestion, format string, args ...any) *problem.Problem {
	var published []string
	for _, r := range e.Releases {
		if r.Lifecycle.State != evidence.Revoked {
			published = append(published, r.Version)
		}
	}
	if len(published) > 0 {
		suggestion += " Or pin a version: " + strings.Join(published[:min(len(published), 10)], ", ") + "."
	}
	p := problem.New(problem.CodeAsOfUnknown, suggestion, format, args...)
	p.Field = versions.AsOfName
	return p
}
