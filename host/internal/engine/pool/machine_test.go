package pool

import "testing"

// Every phase with every event: what a supervisor does next.
func TestPhases(t *testing.T) {
	for _, tt := range []struct {
		phase phase
		want  [5]phase // after needed, started, startFailed, drained, ended
	}{
		{idle, [5]phase{starting, idle, idle, idle, closed}},
		{starting, [5]phase{starting, running, idle, starting, closed}},
		{running, [5]phase{running, running, running, idle, closed}},
		{closed, [5]phase{closed, closed, closed, closed, closed}},
	} {
		for e := needed; e <= ended; e++ {
			if got := tt.phase.after(e); got != tt.want[e] {
				t.Errorf("phase %d, event %d: %d, want %d", tt.phase, e, got, tt.want[e])
			}
		}
	}
}

// Every life with every step: how far a process comes.
func TestLives(t *testing.T) {
	for _, tt := range []struct {
		life life
		want [2]life // after called, drain
	}{
		{fresh, [2]life{tried, draining}},
		{tried, [2]life{tried, draining}},
		{draining, [2]life{draining, draining}},
	} {
		for s := called; s <= drain; s++ {
			if got := tt.life.after(s); got != tt.want[s] {
				t.Errorf("life %d, step %d: %d, want %d", tt.life, s, got, tt.want[s])
			}
		}
	}
}
