package sign_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
)

// TestTools checks the tool ids in a trust file, and for which keys it reserves them.
func TestTools(t *testing.T) {
	desk, _ := newKey(t)
	other, _ := newKey(t)
	file := func(roles []sign.Role, tools []string) (*sign.Trust, error) {
		data, err := json.Marshal(map[string]any{"keys": []sign.Key{
			{Name: "desk", PublicKey: desk.PublicKey(), Roles: roles, Capabilities: []string{"*"}, Tools: tools},
			{Name: "other", PublicKey: other.PublicKey(), Roles: []sign.Role{sign.Publishes}, Capabilities: []string{"*"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return sign.ReadTrust(data)
	}
	publishes := []sign.Role{sign.Publishes}
	for _, tools := range [][]string{{""}, {"pipe*"}, {"*-pipe"}, {"pi*pe"}, {"**"}} {
		if _, err := file(publishes, tools); err == nil || !strings.Contains(err.Error(), "a prefix such as pipe-*") {
			t.Errorf("%q: %v", tools, err)
		}
	}
	if _, err := file([]sign.Role{sign.Reviews}, []string{"*"}); err == nil || !strings.Contains(err.Error(), "role publish") {
		t.Errorf("a reviewer: %v", err)
	}
	trust, err := file(publishes, []string{"pipe-*", "beam"})
	if err != nil {
		t.Fatal(err)
	}
	for tool, kept := range map[string]bool{"pipe-loss": true, "beam": true, "beams": false, "pipe": false} {
		if got := trust.KeptFor(tool); slices.Equal(got, []string{"desk"}) != kept {
			t.Errorf("%s is kept for %v", tool, got)
		}
	}
}
