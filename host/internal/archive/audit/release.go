package audit

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// releases checks all releases of the capabilities, or only the releases with the version.
func (a *Audit) releases(entries []*catalog.Entry, version string) error {
	found := version == ""
	for _, e := range entries {
		if e.Problem != nil {
			a.add(Finding{Subject: e.ID, Kind: Index, Err: e.Problem})
		}
		for _, r := range e.Releases {
			if version == "" || r.Version == version {
				found = true
				a.release(r)
			}
		}
	}
	if !found {
		return &NotPublishedError{entries[0].ID, version}
	}
	return nil
}

// release checks one release.
func (a *Audit) release(r *registry.Release) {
	add := func(f Finding) {
		f.Subject, f.Release = r.Capability+" "+r.Version, r
		a.add(f)
	}
	if a.options.Stated { // its bytes cannot be compared
		add(Finding{Kind: Lifecycle})
		return
	}
	if r.Digest != "" {
		add(Finding{Kind: Manifest})
	}
	for _, platform := range r.Platforms {
		err := r.CheckEngine(platform)
		add(Finding{Kind: Engine, Platform: platform, Err: err, Outcome: presence(platform, err)})
	}
	if r.Problem != nil {
		add(Finding{Kind: Admission, Err: r.Problem, Outcome: admission(r.Problem)})
	}
	if r.SpecJSON != nil {
		add(Finding{Kind: Spec})
	}
	if r.Vectors != nil {
		add(Finding{Kind: Vectors})
	}
	signed := false
	for i := range r.Evidence {
		e := &r.Evidence[i]
		signed = signed || e.Signature != nil
		add(Finding{Kind: Evidence, Evidence: e, Platform: platformOf(r, e), Outcome: counts(e)})
	}
	if !signed {
		add(Finding{Kind: Unsigned, Outcome: Ignored})
	}
	if r.Problem == nil {
		add(Finding{Kind: Tier, Err: r.Verification.Check()})
	}
	add(Finding{Kind: Lifecycle})
}

// presence returns the outcome for an engine that is not here. A registry can have the engines for its own platform only.
func presence(platform string, err error) Outcome {
	if errors.Is(err, fs.ErrNotExist) && platform != runtime.GOOS+"/"+runtime.GOARCH {
		return Ignored
	}
	return ""
}

// admission returns the outcome for a release that cannot be served. A release that has engines
// only for other platforms is not damaged.
func admission(problem error) Outcome {
	var elsewhere *registry.PlatformError
	if errors.As(problem, &elsewhere) {
		return Ignored
	}
	return Fails
}

// counts returns the outcome for one statement about a release.
func counts(e *evidence.Evidence) Outcome {
	switch {
	case e.Broken:
		return Fails
	case e.Unchecked:
		return Unchecked
	case e.Counts:
		return Holds
	}
	return Ignored
}

// platformOf returns the platform of the engine that a report is about. It returns "" if the
// release has no such engine.
func platformOf(r *registry.Release, e *evidence.Evidence) (platform string) {
	if e.Report == nil {
		return ""
	}
	for _, candidate := range r.Platforms {
		if slices.Contains(e.Report.EngineDigests, r.Engines[candidate]) {
			platform = candidate
		}
	}
	return platform
}
