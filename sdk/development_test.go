package sdk

import "testing"

func TestVersionOf(t *testing.T) {
	for _, tt := range []struct{ written, released, development, want string }{
		{"1.0.0", "", "", "1.0.0"},
		{"1.0.0", "1.0.0", "", "1.0.0"},
		{"1.0.0", "1.0.0", "3", "1.0.1-dev.3"},
		{"1.1.0", "1.0.9", "3", "1.1.0-dev.3"},
		{"1.0.9", "1.0.10", "3", "1.0.11-dev.3"}, // the author's version is older than a release
		{"1.0.0", "", "0.x00ff", "1.0.0-dev.0.x00ff"},
		{"2.0.0-rc.1", "1.0.0", "3", "2.0.0-rc.1.dev.3"},
		{"2.0.0-rc.1", "2.0.0-rc.1", "3", "2.0.0-rc.1.dev.3"},
		{"2.0.0", "2.0.0-rc.1", "3", "2.0.0-dev.3"},
	} {
		if got := versionOf(tt.written, tt.released, tt.development); got != tt.want {
			t.Errorf("%q after %q, build %q: %q, want %q", tt.written, tt.released, tt.development, got, tt.want)
		}
	}
}
