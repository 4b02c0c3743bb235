package terminal

import "testing"

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 versions": Count(0, "version"), "1 version": Count(1, "version"), "2 versions": Count(2, "version"),
		"93 capabilities and 24 tables": Holdings(93, 24), "1 capability and 1 table": Holdings(1, 1), "2 capabilities": Holdings(2, 0),
		"1 capability": Count(1, "capability"), "66 capabilities": Count(66, "capability"),
		"1 way": Count(1, "way"), "3 ways": Count(3, "way"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
