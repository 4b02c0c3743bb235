package memory

import "testing"

func TestShort(t *testing.T) {
	for name, c := range map[string]struct {
		info string
		want bool
	}{
		"enough":    {"MemTotal:       1000 kB\nMemFree:          10 kB\nMemAvailable:    100 kB\n", false},
		"short":     {"MemTotal:       1000 kB\nMemFree:          10 kB\nMemAvailable:     99 kB\n", true},
		"not Linux": {"", false},
		"no number": {"MemTotal: many kB\nMemAvailable: 1 kB\n", false},
	} {
		if got := short([]byte(c.info)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
