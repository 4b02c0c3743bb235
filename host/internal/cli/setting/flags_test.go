package setting_test

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
)

func TestChanged(t *testing.T) {
	was := setting.Flags{"limit": "calc=1", "trusted-proxy": []string{"a"}, "addr": "b"}
	now := setting.Flags{"limit": "calc=2", "trusted-proxy": []string{"a", "c"}, "addr": "b"}
	if got := was.Changed(now); !slices.Equal(got, []string{"limit", "trusted-proxy"}) {
		t.Errorf("changed: %v", got)
	}
	if got := was.Changed(was); got != nil {
		t.Errorf("unchanged: %v", got)
	}
}
