package release

import (
	"os/exec"
	"testing"
)

func TestVersions(t *testing.T) {
	for version, debian := range map[string]string{
		"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0~rc.1", "0.0.0-20260102.gabc-dirty": "0.0.0~20260102.gabc.dirty",
		"": "", "v1.2.0": "", "1.2": "", "1.2.0+build": "", "01.2.0": "",
	} {
		r, err := New(version, "abc", 0)
		if (err == nil) != (debian != "") || err == nil && r.Debian() != debian {
			t.Errorf("%q: %v, %v, want %q", version, r, err, debian)
		}
	}
}

// dpkg sorts a pre-release before its release.
func TestDebianOrder(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg compares versions, and there is none")
	}
	pre, _ := New("1.2.0-rc.1", "", 0)
	out, _ := New("1.2.0", "", 0)
	if err := exec.Command("dpkg", "--compare-versions", pre.Debian(), "lt", out.Debian()).Run(); err != nil {
		t.Errorf("%s is not older than %s", pre.Debian(), out.Debian())
	}
}
