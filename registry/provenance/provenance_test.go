package provenance

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func built() *Build {
	sum := strings.Repeat("ab", 32)
	return &Build{
		Engines: map[string]string{"linux/amd64": "sha256:" + sum, "darwin/arm64": "sha256:" + strings.Repeat("cd", 32)},
		Package: "example.org/engines/ohms_law", Toolchain: "go1.26.8", Settings: []string{"CGO_ENABLED=0", "-trimpath"},
		Files:    []File{{"example.org/engines/go.mod", sum}, {"example.org/engines/ohms_law/main.go", sum}},
		Modules:  []Module{{"google.golang.org/grpc", "v1.85.0", "h1:BPBCfuVRQ1qvBhKDOq9uvQllMvO59rKsYhXpp7Dd8vw="}},
		Revision: strings.Repeat("0f", 20),
	}
}

// joined is the build of a text engine.
func joined() *Build {
	sum := strings.Repeat("ab", 32)
	return &Build{
		Engines:  map[string]string{"linux/amd64": "sha256:" + sum, "darwin/arm64": "sha256:" + strings.Repeat("cd", 32)},
		Runtimes: map[string]string{"linux/amd64": "sha256:" + strings.Repeat("12", 32), "darwin/arm64": "sha256:" + strings.Repeat("34", 32)},
		Files:    []File{{Document, sum}, {Vectors, sum}},
		Revision: strings.Repeat("0f", 20),
	}
}

func TestStatementIsReadAsItWasWritten(t *testing.T) {
	for name, b := range map[string]*Build{"program": built(), "text engine": joined()} {
		t.Run(name, func(t *testing.T) { isReadAsWritten(t, b) })
	}
}

func isReadAsWritten(t *testing.T, b *Build) {
	data, err := b.Statement()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(data)
	if err != nil || !reflect.DeepEqual(b, again) {
		t.Errorf("read %+v (%v), written %+v", again, err, b)
	}
	second, err := again.Statement()
	if err != nil || !bytes.Equal(data, second) {
		t.Errorf("the same build was written as %s and %s (%v)", data, second, err)
	}
}

// Every member that common tools read is at the place that the specifications define.
func TestStatementHasTheMembersOfInTotoAndSLSA(t *testing.T) {
	data, err := built().Statement()
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	at := func(path ...any) any {
		var v any = s
		for _, p := range path {
			switch p := p.(type) {
			case string:
				v = v.(map[string]any)[p]
			case int:
				v = v.([]any)[p]
			}
		}
		return v
	}
	for _, c := range []struct {
		want any
		path []any
	}{
		{"https://in-toto.io/Statement/v1", []any{"_type"}},
		{"https://slsa.dev/provenance/v1", []any{"predicateType"}},
		{strings.Repeat("cd", 32), []any{"subject", 0, "digest", "sha256"}},
		{"example.org/engines/ohms_law", []any{"predicate", "buildDefinition", "externalParameters", "package"}},
		{strings.Repeat("0f", 20), []any{"predicate", "buildDefinition", "resolvedDependencies", 1, "digest", "gitCommit"}},
		{"pkg:golang/google.golang.org/grpc@v1.85.0", []any{"predicate", "buildDefinition", "resolvedDependencies", 4, "uri"}},
		{buildType, []any{"predicate", "runDetails", "builder", "id"}},
	} {
		if got := at(c.path...); got != c.want {
			t.Errorf("%v is %v, want %v", c.path, got, c.want)
		}
	}
}

func TestStatementThatDoesNotHoldTogetherIsRefused(t *testing.T) {
	good, err := built().Statement()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"other kind":       {"go-engine/v1", "go-engine/v2"},
		"renamed file":     {"ohms_law/main.go", "ohms_law/made.go"},
		"file outside":     {"example.org/engines/go.mod", "../example.org/engines/go.mod"},
		"flag as Go":       {`"go1.26.8"`, `"local"`},
		"no digest":        {strings.Repeat("cd", 32), "cd"},
		"no platform":      {"darwin/arm64", "--help"},
		"no revision":      {strings.Repeat("0f", 20), "HEAD"},
		"module as option": {"pkg:golang/google", "pkg:golang/-google"},
		"platform twice":   {"darwin/arm64", "linux/amd64"},
	} {
		changed := bytes.Replace(good, []byte(change[0]), []byte(change[1]), -1)
		if bytes.Equal(changed, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := Parse(changed); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

func TestStatementOfTextEngineIsRefused(t *testing.T) {
	good, err := joined().Statement()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"other kind":       {"text-engine/v1", "go-engine/v1"},
		"no runtime":       {`"runtime linux/amd64"`, `"runtime linux/arm64"`},
		"digest":           {strings.Repeat("12", 32), "12"},
		"other file":       {`"vectors"`, `"vectors.csv"`},
		"with a toolchain": {`"externalParameters":{}`, `"externalParameters":{"toolchain":"go1.26.8"}`},
	} {
		changed := bytes.ReplaceAll(good, []byte(change[0]), []byte(change[1]))
		if bytes.Equal(changed, good) {
			t.Fatalf("%s: nothing was changed in %s", name, good)
		}
		if b, err := Parse(changed); err == nil {
			t.Errorf("%s: it was read as %+v", name, b)
		}
	}
}
