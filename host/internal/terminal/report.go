package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
)

// Reports are conformance reports in one of the forms in which they are printed: text,
// list (text with every rule), json (an object for each), junit or badge.
func Reports(form string, reports []*report.Report) ([]byte, error) {
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
