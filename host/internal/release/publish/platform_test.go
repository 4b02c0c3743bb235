package publish_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/sdk/verification"
)

func TestReadOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(file, []byte("an engine"), 0o600); err != nil {
		t.Fatal(err)
	}
	others, err := publish.ReadOthers(t.Context(), []string{"plan9/arm=" + file, "plan9/386=" + file + ",report=" + file})
	if err != nil || len(others) != 2 || others[0].Platform != "plan9/arm" || others[0].Tier() != verification.Candidate || others[1].Tier() != verification.EngineTested {
		t.Errorf("%+v, %v", others, err)
	}
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"plan9/arm"}, "OS/ARCH=PATH"},
		{[]string{"plan9/arm="}, "OS/ARCH=PATH"},
		{[]string{"plan9/arm=" + file + ",report="}, "OS/ARCH=PATH"},
		{[]string{publish.Platform + "=" + file}, "judged here"},
		{[]string{"plan9/arm=" + file, "plan9/arm=" + file}, "plan9/arm is given twice"},
		{[]string{"plan9/arm=" + file + ".none"}, "no such file"},
	} {
		if _, err := publish.ReadOthers(t.Context(), tt.names); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.names, err, tt.want)
		}
	}
}

func TestPlatforms(t *testing.T) {
	platforms, named, err := publish.Platforms([]string{"plan9/arm", "plan9/386=file", "plan9/arm"})
	if err != nil || len(platforms) != 1 || platforms[0].String() != "plan9/arm" || len(named) != 1 || named[0] != "plan9/386=file" {
		t.Errorf("%v, %v, %v", platforms, named, err)
	}
	for name, want := range map[string]string{"plan9": "plan9", publish.Platform: "judged here"} {
		if _, _, err := publish.Platforms([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
