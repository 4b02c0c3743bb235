package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
)

// A capability of which nothing could be mirrored is told of all the same.
func TestDamageWithoutMirror(t *testing.T) {
	damage := map[string]error{"a.b": errors.New("unreadable"), "c.d": errors.New("gone")}
	list := withDamage([]registry.Capability{{ID: "c.d"}, {ID: "e.f"}}, damage)
	var said []string
	for _, c := range list {
		said = append(said, fmt.Sprintf("%s: %v", c.ID, c.Problem))
	}
	if got := strings.Join(said, "; "); got != "a.b: unreadable; c.d: gone; e.f: <nil>" {
		t.Error(got)
	}
	if n := damaged(list); n != 2 {
		t.Errorf("%d are damaged", n)
	}
}

// A registry that is not there, and a setting that is not enough, are for the operator to
// change.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	for want, err := range map[string]error{
		"there is no registry at " + dir + "/none": capabilitiesOf(t, &Place{Registry: dir + "/none"}),
		"needs --trust FILE":                       capabilitiesOf(t, &Place{Registry: dir, Trust: Trust{Required: true}}),
		"oci://":                                   capabilitiesOf(t, &Place{Registry: "oci://", Mirrors: dir}),
		"no such file":                             openError(&Options{Place: Place{Registry: dir}, Data: dir, Lock: dir + "/lock"}),
		"there is no such file":                    checkpointError(&Log{Place: Place{Registry: dir}, Checkpoint: dir + "/checkpoint"}),
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
