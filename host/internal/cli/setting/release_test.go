package setting_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
)

func TestRelease(t *testing.T) {
	var r setting.Release
	if err := r.UnmarshalText([]byte("ohms-law@1.0.0")); err != nil || r != (setting.Release{ID: "ohms-law", Version: "1.0.0"}) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, text := range []string{"", "ohms-law", "@1.0.0", "ohms-law@"} {
		if r.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
