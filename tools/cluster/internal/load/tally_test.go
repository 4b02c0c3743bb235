package load

import (
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

func TestSpread(t *testing.T) {
	samples := []Sample{
		{at(0), at(2), "1.0.0"},
		{at(5), at(30), "2.0.0"}, // the first answer with 2.0.0 comes at 12
		{at(10), at(12), "2.0.0"},
		{at(11), at(40), "1.0.0"}, // sent before
		{at(20), at(21), "1.0.0"},
		{at(25), at(26), "1.0.0"},
		{at(50), at(51), "2.0.0"},
	}
	if got := Spread(samples, "2.0.0"); got != 13*time.Millisecond {
		t.Errorf("Spread = %v, want 13ms: from 12 to 25", got)
	}
	if got := Spread(samples[:4], "2.0.0"); got != 0 {
		t.Errorf("Spread = %v of calls that were under way, want 0", got)
	}
	if got := Spread(Since(samples, at(26)), "2.0.0"); got != 0 {
		t.Errorf("Spread = %v since 26, want 0", got)
	}
}

func TestMostIn(t *testing.T) {
	g := Greed{}
	for _, ms := range []int{0, 10, 20, 990, 995, 1000, 1500} {
		g.add(Sample{at(ms), at(ms + 1), "1.0.0"}, nil)
	}
	g.add(Sample{From: at(1), To: at(2)}, &Failure{Kind: Refused, Status: 429})
	g.add(Sample{From: at(1), To: at(2)}, &Failure{Kind: Refused, Status: 503})
	if got := g.MostIn(time.Second); got != 5 {
		t.Errorf("MostIn = %d, want 5: 0 to 995, or 10 to 1000", got)
	}
	if g.Refused != 1 || len(g.Failures) != 1 {
		t.Errorf("%d refused, %d failures, want 1 and 1", g.Refused, len(g.Failures))
	}
}

func TestTally(t *testing.T) {
	var b book
	b.t.Calls = map[Call]int{}
	b.add(Current, at(0), "1.0.0", nil)
	b.add(Pinned, at(1), "", &Failure{Kind: Refused, Status: 503})
	b.add(Pinned, at(2), "", &Failure{Kind: Refused, Status: 503})
	b.add(Batch, at(3), "", &Failure{Kind: ClosedBetween})
	b.add(Read, at(4), "", &Failure{Kind: WrongRecord})
	got := b.t
	if got.Total() != 5 || got.Mixed() != 1 || got.Closed() != 1 || got.ClosedAfter(at(3)) != 0 || got.SentAfter(at(1)) != 3 {
		t.Errorf("total %d, mixed %d, closed %d, after 3 %d, sent after 1 %d", got.Total(), got.Mixed(), got.Closed(), got.ClosedAfter(at(3)), got.SentAfter(at(1)))
	}
	if kinds := got.Kinds(); len(kinds) != 3 || kinds[0] != "2 pinned: refused (503)" {
		t.Errorf("kinds %q", kinds)
	}
	if last := got.LastFailed(); !last.Equal(at(4)) {
		t.Errorf("last failed %v", last)
	}
	if len(got.Current) != 1 || !slices.Equal(got.Current, Since(got.Current, at(-1))) {
		t.Errorf("samples %v", got.Current)
	}
}
