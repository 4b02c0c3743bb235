package main

import (
	"archive/zip"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A bundle has the documents and the program of text engines for its platform, and no others.
func TestBundlePlatform(t *testing.T) {
	c := sampleLibrary(t, self(t))
	out := pack(t, &mcpbCmd{c})
	archive, err := zip.OpenReader(filepath.Join(out, "slipstick-mcp-1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var names []string
	runtimes := 0
	for _, f := range archive.File {
		switch {
		case strings.HasPrefix(f.Name, "registry/.shared/blobs/") && !strings.HasSuffix(f.Name, "/"):
			runtimes++
		case !strings.HasSuffix(f.Name, "/") && !strings.Contains(f.Name, "/blobs/"):
			names = append(names, f.Name)
		}
	}
	want := []string{"COPYRIGHT", "NOTICES", "manifest.json", "registry/a.both/index.json", "registry/data.table/index.json", "sbom.spdx.json", "server/slipstick-mcp"}
	if !slices.Equal(names, want) || runtimes != 1 {
		t.Errorf("the bundle has %d programs of text engines and %q, want one and %q", runtimes, names, want)
	}
}

// A bundle that is too large is refused.
func TestBundleTooLarge(t *testing.T) {
	if err := checkSize("a.mcpb", maxBundle); err != nil {
		t.Error(err)
	}
	if err := checkSize("a.mcpb", maxBundle+1); err == nil {
		t.Error("a bundle may be too large")
	}
}
