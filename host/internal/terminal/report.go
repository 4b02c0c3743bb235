package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/slipstick/slipstick/conformance"
)

// Reports are conformance reports in one of the forms in which they are printed: text,
// list (text with every rule), json (an object for each), junit or badge.
func Reports(form string, reports []*conformance.Report) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch form {
	case "junit":
		err = conformance.WriteJUnit(&b, reports)
	case "badge":
		err = json.NewEncoder(&b).Encode(conformance.BadgeOf(reports))
	case "json":
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		for i := 0; i < len(reports) && err == nil; i++ {
			err = e.Encode(reports[i])
		}
	default:
		write := (*conformance.Report).WriteText
		if form == "list" {
			write = (*conformance.Report).WriteList
		}
		for i := 0; i < len(reports) && err == nil; i++ {
			err = write(reports[i], &b)
		}
	}
	return b.Bytes(), err
}

// Rules prints the rules of sets of requirements.
func Rules(w io.Writer, sets []*conformance.Requirements) {
	for _, set := range sets {
		fmt.Fprintf(w, "%s, for the engine contract %s: %d rules\n", set.Set, set.Contract, len(set.Rules))
		for _, r := range set.Rules {
			fmt.Fprintf(w, "%-24s %s (%s)\n", r.ID, r.Rule, r.Cites)
		}
	}
}
