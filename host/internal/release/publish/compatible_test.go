package publish_test

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/publish"
)

// nearest returns the versions with which a new version must be compatible.
func TestNearest(t *testing.T) {
	for _, tt := range []struct {
		name      string
		published []string // newest first
		version   string
		below     []string
		above     []string
	}{
		{"the first", nil, "1.0.0", nil, nil},
		{"the newest", []string{"1.1.0", "1.0.0"}, "1.2.0", []string{"1.1.0", "1.0.0"}, nil},
		{"between", []string{"1.3.0", "1.1.0", "1.0.0"}, "1.2.0", []string{"1.1.0", "1.0.0"}, []string{"1.3.0"}},
		{"a major step", []string{"1.9.0"}, "2.0.0", nil, nil},
		{"before a major step", []string{"2.0.0", "1.0.0"}, "1.1.0", []string{"1.0.0"}, nil},
		{"after a major step", []string{"2.1.0", "1.0.0"}, "2.2.0", []string{"2.1.0"}, nil},
		{"a minor step before 1.0.0", []string{"0.1.0"}, "0.2.0", nil, nil},
		{"a patch before 1.0.0", []string{"0.1.0"}, "0.1.1", []string{"0.1.0"}, nil},
		{"after a pre-release", []string{"1.1.0-rc.1", "1.0.0"}, "1.1.0", []string{"1.0.0"}, nil},
		{"a pre-release", []string{"1.0.0"}, "1.1.0-rc.1", []string{"1.0.0"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := publish.Nearest(tt.published, tt.version, true); !slices.Equal(got, tt.below) {
				t.Errorf("below: %v, want %v", got, tt.below)
			}
			if got := publish.Nearest(tt.published, tt.version, false); !slices.Equal(got, tt.above) {
				t.Errorf("above: %v, want %v", got, tt.above)
			}
		})
	}
}
