package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
)

// The list includes a damaged capability that is not in the mirror.
func TestDamageWithoutMirror(t *testing.T) {
	damage := map[string]error{"a.b": errors.New("unreadable"), "c.d": errors.New("removed")}
	list := withDamage([]registry.Capability{{ID: "c.d"}, {ID: "e.f"}}, damage)
	var lines []string
	for _, c := range list {
		lines = append(lines, fmt.Sprintf("%s: %v", c.ID, c.Problem))
	}
	if got := strings.Join(lines, "; "); got != "a.b: unreadable; c.d: removed; e.f: <nil>" {
		t.Error(got)
	}
	if n := damaged(list); n != 2 {
		t.Errorf("%d are damaged", n)
	}
}

// A missing registry and an incomplete setting are setting errors, because the operator must change them.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	for want, err := range map[string]error{
		"there is no registry at " + dir + "/none": capabilitiesOf(t, &Place{Registry: dir + "/none"}),
		"needs --trust FILE":                       capabilitiesOf(t, &Place{Registry: dir, Trust: Trust{Required: true}}),
		"oci://":                                   capabilitiesOf(t, &Place{Registry: "oci://", Mirrors: dir}),
		"no such file":                             openError(&Options{Place: Place{Registry: dir}, Data: dir, Lock: dir + "/lock"}),
		"the file does not exist":                  checkpointError(&Log{Place: Place{Registry: dir}, Checkpoint: dir + "/checkpoint"}),
	} {
		var setting *SettingError
		if !errors.As(err, &setting) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func capabilitiesOf(t *testing.T, p *Place) error {
	t.Helper()
	_, _, err := p.Capabilities(t.Context(), true)
	return err
}

func openError(o *Options) error {
	_, err := Open(o)
	return err
}

func checkpointError(l *Log) error {
	_, err := l.Check()
	return err
}
