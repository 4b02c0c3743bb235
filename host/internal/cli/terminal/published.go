package terminal

import (
	"errors"
	"fmt"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/registry"
)

// Published writes the published release, with the engines for other platforms.
func Published(w io.Writer, r publish.Result) {
	if r.Report == nil {
		fmt.Fprintf(w, "%s %s %s\n", r.Status, r.Capability, r.Version)
		return
	}
	status := string(r.Status)
	if r.Restored > 0 {
		status = "restored"
	}
	fmt.Fprintf(w, "%s %s %s (%d vectors, engine %s)\n", status, r.Capability, r.Version,
		r.Report.Vectors.Passed, r.Engines[publish.Platform])
	if r.Compared > 0 {
		fmt.Fprintf(w, "  steps: %d, all bit-identical to the published calculations\n", r.Compared)
	}
	for _, o := range r.Others {
		fmt.Fprintf(w, "  %s: %s, engine %s\n", o.Platform, o.Tier, r.Engines[o.Platform])
	}
}

// Refusal writes the report in an error of [publish.Run], if there is one.
func Refusal(w io.Writer, refusal error) {
	var conforming *publish.NotConformingError
	var compatible *publish.NotCompatibleError
	var unsound *publish.NotSoundError
	var changed *publish.NotCompatibleTableError
	switch {
	case errors.As(refusal, &unsound):
		for _, err := range unsound.Report.Errs {
			fmt.Fprintln(w, " ", err)
		}
	case errors.As(refusal, &changed):
		TableDiff(w, changed.Comparison)
	case errors.As(refusal, &conforming):
		_ = conforming.Report.WriteText(w)
	case errors.As(refusal, &compatible):
		_ = compatible.Diff.WriteText(w)
	}
}

// Kept writes that another version of the file at path stays published.
func Kept(w io.Writer, published *registry.ExistsError, path string) {
	fmt.Fprintf(w, "kept the published %s %s, because %s has other bytes: publish them with a new version\n",
		published.Capability, published.Version, path)
}

// Developed writes the outcome for an engine under development: the URL of its page, or the faults.
func Developed(w io.Writer, r publish.Result, err error) {
	var unbuilt *build.FailedError
	var unfit *publish.NotConformingError
	switch {
	case err == nil:
		fmt.Fprintf(w, "slipstick: %s %s conforms; its page is %s\n", r.Capability, r.Current, catalog.PagePath(&r.Spec))
	case errors.As(err, &unbuilt):
		fmt.Fprintf(w, "slipstick: %v\n", unbuilt)
	case errors.As(err, &unfit):
		fmt.Fprintf(w, "slipstick: it does not conform yet:\n")
		_ = unfit.Report.WriteText(w)
	default:
		fmt.Fprintf(w, "slipstick: it does not conform yet:\n%v\n", err)
	}
}
