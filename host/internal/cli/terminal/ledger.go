package terminal

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// segmentText is a segment for programs.
type segmentText struct {
	Segment string     `json:"segment"`
	Opened  time.Time  `json:"opened"`
	State   string     `json:"state"` // open, deleted, damaged, or why it was closed
	Records uint64     `json:"records"`
	Bytes   int64      `json:"bytes"`
	Closed  *time.Time `json:"closed,omitempty"`
	Root    string     `json:"root,omitempty"`
	Key     string     `json:"public_key,omitempty"`
	Killed  bool       `json:"after_a_kill,omitempty"`
}

func segmentOf(s *ledger.Segment) segmentText {
	t := segmentText{Segment: s.Name(), Opened: s.Opened, State: "open", Records: s.Records, Bytes: s.Size, Killed: s.Killed}
	if s.Statement != nil {
		t.State, t.Closed, t.Root, t.Key = string(s.Statement.End), &s.Statement.Closed, s.Statement.Root.String(), base64.StdEncoding.EncodeToString(s.Signed.PublicKey)
	}
	switch {
	case s.Problem != nil:
		t.State = "damaged"
	case s.Deleted:
		t.State, t.Records = "deleted", s.Statement.Records
	}
	return t
}

// Segments lists the segments of a ledger.
func Segments(w io.Writer, report *ledger.Report, asJSON bool) error {
	list := []segmentText{}
	for _, s := range report.Segments {
		list = append(list, segmentOf(s))
	}
	if asJSON {
		return json.NewEncoder(Plain(w)).Encode(list)
	}
	table := columns(w, 2)
	for _, t := range list {
		Printf(table, "%s\t%s\t%s\t%d bytes\t%s\t%s\n", t.Segment, t.Opened.Format(time.RFC3339), Count(int(t.Records), "record"), t.Bytes, t.State, t.Key)
	}
	return table.Flush()
}

// FaultText is a fault that a check found, for programs.
type FaultText struct {
	Segment string       `json:"segment"`
	Fault   ledger.Fault `json:"fault"`
	Fails   bool         `json:"fails"` // false: it could not be checked
	Detail  string       `json:"detail"`
}

// Checked writes the result of a check. It returns the number of faults, and the number of parts that it could not check.
func Checked(w io.Writer, report *ledger.Report, vouched, asJSON bool) (failed, unchecked int, err error) {
	list := []FaultText{}
	for i := range report.Findings {
		f := &report.Findings[i]
		t := FaultText{f.Segment.Name(), f.Fault, true, faultText(f)}
		if f.Fault == ledger.LeftOpen || f.Fault == ledger.Unstamped || f.Fault == ledger.UnknownKey && !vouched {
			t.Fails = false
			unchecked++
		} else {
			failed++
		}
		list = append(list, t)
	}
	if asJSON {
		return failed, unchecked, json.NewEncoder(Plain(w)).Encode(struct {
			Findings []FaultText `json:"findings"`
			Segments int         `json:"segments"`
			Records  uint64      `json:"records"`
			Lost     uint64      `json:"lost"`
			Killed   int         `json:"killed"`
		}{list, len(report.Segments), report.Records, report.Lost, report.Killed})
	}
	for _, t := range list {
		outcome := "fails"
		if !t.Fails {
			outcome = "unchecked"
		}
		Printf(w, "%-9s  segment %s: %s\n", outcome, t.Segment, t.Detail)
	}
	for _, s := range slices.Backward(report.Segments) {
		if !s.Stamped.IsZero() {
			Printf(w, "timestamped up to segment %s at %s\n", s.Name(), s.Stamped.UTC().Format(time.RFC3339))
			break
		}
	}
	Printf(w, "%s in %s; %s\n", Count(int(report.Records), "record"), Count(len(report.Segments), "segment"), lossText(report))
	return failed, unchecked, nil
}

func lossText(report *ledger.Report) string {
	text := "none was lost"
	if report.Lost > 0 {
		text = fmt.Sprintf("%d were lost according to the ledger", report.Lost)
	}
	if report.Killed > 0 {
		text += fmt.Sprintf("; %s a server was killed, and the records that it had not written are missing", times(report.Killed))
	}
	return text
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// faultText describes a fault.
func faultText(f *ledger.Finding) string {
	switch f.Fault {
	case ledger.Damaged:
		return fmt.Sprintf("%v; nothing can be read from record %d on", f.Err, f.From)
	case ledger.Absent:
		if f.From == f.To {
			return fmt.Sprintf("segment %d before it is missing", f.From)
		}
		return fmt.Sprintf("segments %d to %d before it are missing", f.From, f.To)
	case ledger.Changed:
		return fmt.Sprintf("records %d to %d differ from the signed records, or are in another order", f.From, f.To)
	case ledger.Miscounted:
		return fmt.Sprintf("it has %s, and %d were signed", Count(int(f.From), "record"), f.To)
	case ledger.OtherHead:
		return "its first block differs from the signed block"
	case ledger.Renamed:
		return fmt.Sprintf("release %d in its records differs from the signed release", f.From)
	case ledger.Unchained:
		return "it does not continue the previous segment: one of the two was exchanged"
	case ledger.OtherLedger:
		return "it belongs to another ledger than the previous segment"
	case ledger.UnknownKey:
		return fmt.Sprintf("%v; pass the public keys of the server with --keys", f.Err)
	case ledger.BadStamp:
		return fmt.Sprintf("its timestamp: %v", f.Err)
	case ledger.Unstamped:
		return "neither this segment nor a later one has a timestamp"
	case ledger.LeftOpen:
		return "it is not closed: a server writes to it, or was killed; records in it are not proved yet"
	}
	return string(f.Fault)
}

// Record writes a record as a line: its place, time, release, result or error code, and request id. A result is a list of the
// outputs in the order of the Spec.
func Record(w io.Writer, s *ledger.Segment, leaf uint64, r *record.Record) error {
	Printf(w, "%s/%d  %s  ", s.Name(), leaf, r.Time.UTC().Format(time.RFC3339Nano))
	switch v := r.View(); r.Kind {
	case record.Answer:
		outcome := []byte(strings.TrimSpace(v.Code + " " + v.Field))
		if v.Code == "" {
			var err error
			outcome, err = json.Marshal(v.Result)
			if err != nil {
				return err
			}
		}
		Printf(w, "%s %s  %s  %s\n", v.Capability, v.Version, outcome, v.Request)
	case record.Batch:
		Printf(w, "batch of %d rows  %s\n", v.Rows, v.Request)
	case record.Lost:
		Printf(w, "%s lost since %s\n", Count(int(v.Count), "record"), v.Since.UTC().Format(time.RFC3339Nano))
	}
	return nil
}

// RecordJSON writes a record as a line of JSON that starts with its place.
func RecordJSON(w io.Writer, place string, r *record.Record) error {
	v := r.View()
	v.Place = place
	return json.NewEncoder(w).Encode(v)
}
