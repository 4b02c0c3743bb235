package server

import (
	"slices"
	"testing"
)

func TestKilobytes(t *testing.T) {
	rollup := []byte("00400000-7fff [rollup]\nRss:   42000 kB\nPss:   31000 kB\nPss_Anon:   2100 kB\n")
	for entry, want := range map[string]int64{"Rss:": 42000 << 10, "Pss:": 31000 << 10, "Pss_Anon:": 2100 << 10, "Swap:": 0} {
		if got := kilobytes(rollup, entry); got != want {
			t.Errorf("%s %d, want %d", entry, got, want)
		}
	}
}

func TestParseStat(t *testing.T) {
	for _, tt := range []struct {
		stat        string
		pid, parent int
		ok          bool
	}{
		{"12 (engine) S 7 12 12 0 -1", 12, 7, true},
		{"12 (a) b (c) R 9 1", 12, 9, true},
		{"12 (engine)", 0, 0, false},
		{"", 0, 0, false},
	} {
		if pid, parent, ok := parseStat(tt.stat); pid != tt.pid || parent != tt.parent || ok != tt.ok {
			t.Errorf("parseStat(%q) = %d, %d, %v", tt.stat, pid, parent, ok)
		}
	}
}

func TestBelow(t *testing.T) {
	children := map[int][]int{1: {2, 9}, 2: {3, 4}, 4: {5}}
	if got := below(children, 2); !slices.Equal(got, []int{3, 4, 5}) {
		t.Errorf("below = %v", got)
	}
}
