package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
)

// Every fault that a check finds has its text. A part that could not be checked is not a fault.
func TestLedgerFaultsAreWorded(t *testing.T) {
	s := &ledger.Segment{Header: ledger.Header{Ledger: "abcd2345", Segment: 3}, Signed: &ledger.Signed{PublicKey: []byte{1, 2, 3}}}
	for _, tt := range []struct {
		finding ledger.Finding
		want    string
	}{
		{ledger.Finding{Fault: ledger.Damaged, From: 7, Err: errors.New("a block is damaged")}, "a block is damaged; nothing can be read from record 7 on"},
		{ledger.Finding{Fault: ledger.Absent, From: 2, To: 2}, "segment 2 before it is missing"},
		{ledger.Finding{Fault: ledger.Absent, From: 1, To: 2}, "segments 1 to 2 before it are missing"},
		{ledger.Finding{Fault: ledger.Changed, From: 256, To: 511}, "records 256 to 511 differ from the signed records"},
		{ledger.Finding{Fault: ledger.Renamed, From: 3}, "release 3 in its records differs"},
		{ledger.Finding{Fault: ledger.Miscounted, From: 1, To: 2}, "it has 1 record, and 2 were signed"},
		{ledger.Finding{Fault: ledger.OtherHead}, "its first block"},
		{ledger.Finding{Fault: ledger.Unchained}, "does not continue"},
		{ledger.Finding{Fault: ledger.OtherLedger}, "another ledger"},
		{ledger.Finding{Fault: ledger.UnknownKey, Err: errors.New("another key")}, "another key; pass"},
		{ledger.Finding{Fault: ledger.BadStamp, Err: errors.New("other bytes")}, "its timestamp: other bytes"},
		{ledger.Finding{Fault: ledger.Unstamped}, "nor a later one has a timestamp"},
		{ledger.Finding{Fault: ledger.LeftOpen}, "not closed"},
	} {
		tt.finding.Segment = s
		for _, vouched := range []bool{true, false} {
			var out bytes.Buffer
			failed, unchecked, err := Checked(&out, &ledger.Report{Segments: []*ledger.Segment{s}, Findings: []ledger.Finding{tt.finding}, Killed: 1}, vouched, false)
			open := tt.finding.Fault == ledger.LeftOpen || tt.finding.Fault == ledger.Unstamped || tt.finding.Fault == ledger.UnknownKey && !vouched
			if err != nil || failed+unchecked != 1 || unchecked == 1 != open || !strings.Contains(out.String(), "segment abcd2345-3: ") ||
				!strings.Contains(out.String(), tt.want) || !strings.HasSuffix(out.String(), "once a server was killed, and the records that it had not written are missing\n") {
				t.Errorf("%s: %d failed, %d unchecked: %s", tt.finding.Fault, failed, unchecked, &out)
			}
		}
	}
}
