package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
)

// ReportFile is a form of conformance reports and the file for it. Forms are text, list (text with every rule), json (an object
// for each report), junit and badge.
type ReportFile struct{ Form, Path string }

// WriteReports writes the reports to the first file, or to w if it has no path. It also writes them to all others with a path.
func WriteReports(w io.Writer, reports []*report.Report, first ReportFile, others ...ReportFile) error {
	data, err := printed(first.Form, reports)
	switch {
	case err != nil:
	case first.Path == "":
		_, err = w.Write(data)
	default:
		err = os.WriteFile(first.Path, data, 0o644)
	}
	if err != nil {
		return err
	}
	for _, f := range others {
		if f.Path != "" {
			if err := WriteReports(w, reports, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// printed returns the reports in one form.
func printed(form string, reports []*report.Report) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch form {
	case "junit":
		err = report.WriteJUnit(&b, reports)
	case "badge":
		err = json.NewEncoder(&b).Encode(report.BadgeOf(reports))
	case "json":
		var list []byte
		for i := 0; i < len(reports) && err == nil; i++ {
			list, err = reports[i].AppendJSON(list)
		}
		return list, err
	default:
		write := (*report.Report).WriteText
		if form == "list" {
			write = (*report.Report).WriteList
		}
		for i := 0; i < len(reports) && err == nil; i++ {
			err = write(reports[i], &b)
		}
	}
	return b.Bytes(), err
}

// Rules prints the rules of sets of requirements.
func Rules(w io.Writer, sets []*requirements.Set) {
	for _, set := range sets {
		fmt.Fprintf(w, "%s, for the engine contract %s: %d rules\n", set.Name, set.Contract, len(set.Rules))
		for _, r := range set.Rules {
			fmt.Fprintf(w, "%-24s %s (%s)\n", r.ID, r.Rule, r.Cites)
		}
	}
}
