package preset

import "testing"

// A nominal size finds its row in the spellings of people. A size that is incomplete or not in the table finds none.
func TestBySize(t *testing.T) {
	table := &Table{Spec: Spec{Noun: "pipe"}, Rows: []Row{
		{Key: "NPS1/2-40", Name: "NPS 1/2 (DN 15), schedule 40"}, {Key: "NPS1-1/2-40", Name: "NPS 1-1/2 (DN 40), schedule 40"},
		{Key: "NPS2-40", Name: "NPS 2 (DN 50), schedule 40"}, {Key: "NPS2-80", Name: "NPS 2 (DN 50), schedule 80"},
		{Key: "NPS40-40", Name: "NPS 40 (DN 1000), schedule 40"}, {Key: "DN50x2.9", Name: "DN 50, 60.3 x 2.9 mm"},
	}}
	for text, want := range map[string]string{
		"2 in sch 40": "NPS2-40", `2" sch 40`: "NPS2-40", "2 inch schedule 80 pipe": "NPS2-80", "NPS 2 Sch. 80": "NPS2-80", "sch 40, 2 in": "NPS2-40",
		"nps2 sch40": "NPS2-40", "DN 50 sch 80": "NPS2-80", "1 1/2 in sch 40": "NPS1-1/2-40", "1-1/2 in sch 40": "NPS1-1/2-40", "1/2 in sch 40": "NPS1/2-40",
		"40 in sch 40": "NPS40-40", "dn 40 sch 40": "NPS1-1/2-40",
		"2 in": "", "sch 40": "", "50 in sch 40": "", "2 sch 40": "", "2 in sch 40 copper": "", "2 in sch 400": "", "DN 50": "", "": "", "pipe": "", "12 in sch 40": "",
	} {
		got := ""
		if row := table.BySize(text); row != nil {
			got = row.Key
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}
