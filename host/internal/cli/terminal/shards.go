package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/queue/shards"
)

// shardsText is a directory of shards for programs.
type shardsText struct {
	Plan       string `json:"plan"`
	Capability string `json:"capability"`
	shards.Release
	Rows     int64 `json:"rows"`
	Shards   int   `json:"shards"`
	Whole    int   `json:"whole"`
	Rejected int64 `json:"rejected"` // rows of whole shards without a result

	Missing   []int         `json:"missing"`
	Damaged   []damagedText `json:"damaged"`
	OtherPlan []int         `json:"other_plan"`
	Strays    []strayText   `json:"strays"`

	Sampled   int64    `json:"sampled"`
	Different int64    `json:"different"`
	Examples  []uint64 `json:"examples"` // different rows; the first row of the batch is 1
	Unchecked string   `json:"unchecked,omitempty"`
	Holds     bool     `json:"holds"`
}

type damagedText struct {
	Shard int    `json:"shard"`
	Why   string `json:"why"`
}

type strayText struct {
	Name  string       `json:"name"`
	State shards.State `json:"state"`
	Shard int          `json:"shard,omitempty"`
}

func wordShards(r *shards.Report) *shardsText {
	p := r.Plan
	t := &shardsText{
		Plan: p.Digest(), Capability: p.Capability, Release: p.Release, Rows: p.Input.Rows, Shards: p.Shards,
		Missing: []int{}, Damaged: []damagedText{}, OtherPlan: []int{}, Strays: []strayText{}, Examples: []uint64{}, Different: r.Different,
		Sampled: r.Sampled, Holds: r.Holds(),
	}
	for i := range r.Shards {
		switch s := &r.Shards[i]; s.State {
		case shards.Whole:
			t.Whole++
			t.Rejected += int64(s.Manifest.Rejected)
		case shards.Missing:
			t.Missing = append(t.Missing, s.Number)
		case shards.OtherPlan:
			t.OtherPlan = append(t.OtherPlan, s.Number)
		default:
			t.Damaged = append(t.Damaged, damagedText{s.Number, s.Err.Error()})
		}
	}
	for _, s := range r.Strays {
		t.Strays = append(t.Strays, strayText{s.Name, s.State, s.Shard})
	}
	for _, row := range r.Examples {
		t.Examples = append(t.Examples, row+1)
	}
	if r.Unchecked != nil {
		t.Unchecked = r.Unchecked.Error()
	}
	return t
}

// ShardsJSON writes the state of a directory of shards as one object.
func ShardsJSON(w io.Writer, r *shards.Report) error { return json.NewEncoder(w).Encode(wordShards(r)) }

// Shards writes the state of a directory of shards.
func Shards(w io.Writer, r *shards.Report) error {
	t := wordShards(r)
	Printf(w, "%s %s, release %s\n", t.Capability, t.Version, t.Release.Digest)
	Printf(w, "%s in %s: %d whole, with %s\n", Count(int(t.Rows), "row"), Count(t.Shards, "shard"), t.Whole, Count(int(t.Rejected), "rejected row"))
	for _, list := range []struct {
		word    string
		numbers []int
	}{{"missing", t.Missing}, {"of another plan", t.OtherPlan}} {
		if len(list.numbers) > 0 {
			Printf(w, "%s: %s\n", list.word, ranges(list.numbers))
		}
	}
	for _, d := range t.Damaged {
		Printf(w, "damaged: %d: %s\n", d.Shard, d.Why)
	}
	for _, s := range t.Strays {
		Printf(w, "%s: %s", strayWords[s.State], s.Name)
		if s.Shard > 0 {
			Printf(w, ", of shard %d", s.Shard)
		}
		Printf(w, "\n")
	}
	Printf(w, "computed again: %s", Count(int(t.Sampled), "row"))
	if t.Sampled > 0 && t.Different == 0 {
		Printf(w, ", bit-identical")
	}
	if t.Unchecked != "" {
		Printf(w, "; no more, because: %s", t.Unchecked)
	}
	_, err := fmt.Fprintln(w)
	for _, row := range t.Examples {
		Printf(w, "different: row %d\n", row)
	}
	more(w, "", uint64(t.Different)-uint64(len(t.Examples)))
	return err
}

var strayWords = map[shards.State]string{
	shards.OtherPlan: "of another plan", shards.Doubled: "doubled", shards.Unknown: "no part of the batch",
}

// ranges writes numbers in the form of job arrays: 3,7-9.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		part := strconv.Itoa(numbers[i])
		if end > i {
			part += "-" + strconv.Itoa(numbers[end])
		}
		parts, i = append(parts, part), end+1
	}
	return strings.Join(parts, ",")
}
