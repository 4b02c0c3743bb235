package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/slipstick/slipstick/sdk"
)

// Bounds on a table for people. The report as JSON is complete.
const (
	mostRows  = 20 // rows of a table
	widestOne = 28 // characters of one value
)

// WriteText writes the report for people: the changes of the Specs, the answers that differ,
// and the verdict.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	r.writeSpecs(&b)
	fmt.Fprintf(&b, "\n%d vectors and %d generated requests, %d with a result: %d are answered differently\n",
		r.Cases.Vectors, r.Cases.Generated, r.Cases.Answered, r.Cases.Different)
	if len(r.Differences) > 0 {
		b.WriteString("\n")
		r.writeDifferences(&b)
	}
	verdict := "illegal"
	if r.Legal {
		verdict = "legal"
	}
	fmt.Fprintf(&b, "\n%s: %s\n", verdict, r.Why)
	_, err := w.Write(b.Bytes())
	return err
}

// WriteSpecs writes the differences between the Specs of two versions for people. It compares no answers.
func WriteSpecs(w io.Writer, older, newer *sdk.Spec) error {
	var b bytes.Buffer
	r := &Report{
		Capability: older.Capability, Old: Version{Version: older.Version}, New: Version{Version: newer.Version},
		Stated: newer.Changes, Changes: Specs(older, newer),
	}
	r.writeSpecs(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) writeSpecs(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s: %s, then %s\n", r.Capability, r.Old.Version, r.New.Version)
	if r.Stated != "" {
		fmt.Fprintf(b, "\nChanges in %s: %s\n", r.New.Version, cell(r.Stated, sdk.MaxChanges))
	}
	if len(r.Changes) > 0 {
		b.WriteString("\n")
		r.writeChanges(b)
	}
}

func (r *Report) writeChanges(b *bytes.Buffer) {
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "NEEDS\tSPEC\tCHANGE\tOLD\tNEW")
	for _, c := range r.Changes[:min(mostRows, len(r.Changes))] {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", c.Needs, c.Where, c.What, cell(c.Old, widestOne), cell(c.New, widestOne))
	}
	t.Flush()
	more(b, len(r.Changes))
}

// writeDifferences writes the differing answers. It writes inputs that are the same in all
// rows once, so that a row has only its distinguishing inputs.
func (r *Report) writeDifferences(b *bytes.Buffer) {
	rows := r.Differences[:min(mostRows, len(r.Differences))]
	sent := make([][]member, len(rows))
	for i := range rows {
		sent[i] = inputsOf(rows[i].Inputs)
	}
	if same := inAll(sent); len(same) > 0 {
		fmt.Fprintf(b, "in each row: %s\n\n", spell(same))
		for i := range sent {
			sent[i] = slices.DeleteFunc(sent[i], func(in member) bool { return slices.Contains(same, in) })
		}
	}
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "NEEDS\tCHANGE\tULPS\tANSWER\tOLD\tNEW\tINPUTS")
	for i, d := range rows {
		part, steps := "", ""
		if d.Relative > 0 {
			part = twoDigits(d.Relative)
		}
		if d.Ulps > 0 {
			steps = strconv.FormatUint(d.Ulps, 10)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.Needs, part, steps, d.Where, cell(d.Old, widestOne), cell(d.New, widestOne), spell(sent[i]))
	}
	t.Flush()
	more(b, len(r.Differences))
}

// member is one member of a request, as it was sent.
type member struct{ name, text string }

// inputsOf returns the members of a JSON text in their order. A text that is not an object is
// returned as one member without a name, because some vectors send such a text on purpose.
func inputsOf(text string) []member {
	all := []member{{"", text}}
	d := json.NewDecoder(strings.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return all
	}
	list := []member{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return all
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return all
		}
		list = append(list, member{fmt.Sprint(name), string(value)})
	}
	return list
}

// inAll returns the members that are the same in all requests.
func inAll(sent [][]member) []member {
	return slices.DeleteFunc(slices.Clone(sent[0]), func(in member) bool {
		return slices.ContainsFunc(sent, func(one []member) bool { return !slices.Contains(one, in) })
	})
}

func spell(list []member) string {
	texts := make([]string, len(list))
	for i, in := range list {
		texts[i] = strings.TrimPrefix(cell(in.name, widestOne)+" ", " ") + cell(in.text, widestOne)
	}
	return strings.Join(texts, ", ")
}

// twoDigits writes a positive number with two digits, such as 3.4e-5.
func twoDigits(x float64) string {
	return strings.NewReplacer("e-0", "e-", "e+0", "e").Replace(strconv.FormatFloat(x, 'g', 2, 64))
}

func more(b *bytes.Buffer, all int) {
	if all > mostRows {
		fmt.Fprintf(b, "and %d more; slipstick diff --format json has all\n", all-mostRows)
	}
}

// cell returns a text as one line of at most this many characters. It replaces control
// characters by spaces, so that a terminal does not obey them.
func cell(text string, most int) string {
	clean := strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
	if runes := []rune(clean); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return clean
}
