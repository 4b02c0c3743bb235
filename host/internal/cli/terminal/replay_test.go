package terminal_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
)

// The summary of a replay lists each version once, even if its results come in several forms, or with several digests.
func TestReplayedVersions(t *testing.T) {
	group := func(version, engine, units string, same, blocked uint64) *replay.Group {
		g := &replay.Group{}
		g.Capability, g.Version, g.Engine, g.Form.Units = "volume", version, engine, units
		g.Verdicts[compare.Same] = same
		if blocked > 0 {
			g.Obstructed = []*replay.Obstructed{{Obstacle: replay.OtherRelease, Count: blocked}}
		}
		return g
	}
	r := &replay.Report{Read: 21, Groups: []*replay.Group{
		group("1.0.0", "", "", 1, 0), group("1.0.0", "", "volume=L", 2, 0), group("1.0.0", "sha256:1", "", 0, 3), group("1.0.0", "sha256:2", "", 0, 4), group("2.0.0", "", "", 11, 0),
	}}
	var b strings.Builder
	if err := terminal.Replayed(&b, r); err != nil {
		t.Fatal(err)
	}
	const want = `CAPABILITY  VERSION  SAME  DIFFERENT  NOT COMPUTED
volume      1.0.0    3     0          7
volume      2.0.0    11    0          0

`
	if !strings.HasPrefix(b.String(), want) {
		t.Error(b.String())
	}
	b.Reset()
	if err := terminal.Effect(&b, &replay.Effect{Report: r}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n1.0.0 "); n != 1 {
		t.Errorf("the version is %d times in\n%s", n, b.String())
	}
}
