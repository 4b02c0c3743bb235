package system

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// bundleManifest has the members of a bundle's manifest that a client needs.
type bundleManifest struct {
	ManifestVersion            string `json:"manifest_version"`
	Name, Version, Description string
	Author                     struct{ Name string }
	Server                     struct {
		Type       string
		EntryPoint string `json:"entry_point"`
		Config     struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcp_config"`
	}
	Tools         []struct{ Name string }
	Compatibility struct{ Platforms []string }
}

// A bundle is unpacked and its command started, as a desktop client does it. The command answers calculations, and
// changes only the data of the user.
func TestBundle(t *testing.T) {
	busy(t)
	dir := t.TempDir()
	out := makeBundle(t, dir)
	bundle := filepath.Join(out, "slipstick-mcp-1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".mcpb")
	unpacked, home := filepath.Join(dir, "unpacked"), filepath.Join(dir, "home")
	archive, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := os.CopyFS(unpacked, archive); err != nil {
		t.Fatal(err)
	}
	var manifest bundleManifest
	if err := json.Unmarshal(mustRead(t, filepath.Join(unpacked, "manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.ManifestVersion != "0.3" || manifest.Name != "slipstick" || manifest.Version != "1.2.3" || manifest.Description == "" || manifest.Author.Name == "" ||
		manifest.Server.Type != "binary" || !slices.Equal(manifest.Compatibility.Platforms, []string{runtime.GOOS}) {
		t.Errorf("manifest %+v", manifest)
	}
	if info, err := os.Stat(filepath.Join(unpacked, manifest.Server.EntryPoint)); err != nil || info.Mode().Perm()&0o111 != 0o111 {
		t.Errorf("the entry point: %v", err)
	}
	before := filesIn(t, unpacked)
	here := strings.NewReplacer("${__dirname}", unpacked, "${HOME}", home)
	config := manifest.Server.Config
	for i := range config.Args {
		config.Args[i] = here.Replace(config.Args[i])
	}
	cmd := exec.CommandContext(t.Context(), here.Replace(config.Command), config.Args...)
	cmd.Dir = "/"
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
` + toolCall("execute_calculation", `{"capability_id":"ohms-law","inputs":{"V":12,"R":8}}`) + "\n")
	answers, err := cmd.Output()
	if err != nil || !strings.Contains(string(answers), `"current":1.5`) {
		t.Errorf("%v: %v\n%s", cmd.Args, err, answers)
	}
	for _, tool := range manifest.Tools {
		if !strings.Contains(string(answers), `"name":"`+tool.Name+`","outputSchema"`) {
			t.Errorf("the manifest has the tool %s, and the server has not", tool.Name)
		}
	}
	if n := strings.Count(string(answers), `"outputSchema"`); n != len(manifest.Tools) {
		t.Errorf("the manifest has %d tools, and the server %d", len(manifest.Tools), n)
	}
	if after := filesIn(t, unpacked); after != before {
		t.Errorf("the bundle changed from\n%s\nto\n%s", before, after)
	}
	if _, err := os.Stat(filepath.Join(home, ".local", "share", "slipstick", "data", "keys")); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{nil, {"--registry", unpacked}, {"--registry", filepath.Join(dir, "typo"), "--data", home}, {"--typo"}} {
		if out, err := exec.CommandContext(t.Context(), here.Replace(config.Command), args...).CombinedOutput(); err == nil || !strings.Contains(string(out), "registry") {
			t.Errorf("%q: %v %s", args, err, out)
		}
	}
	checkServerJSON(t, filepath.Join(out, "server.json"), bundle)
}

// makeBundle makes the bundle of a registry with one capability, and returns its directory.
func makeBundle(t *testing.T, dir string) (out string) {
	t.Helper()
	out = filepath.Join(dir, "out")
	program, packer, registry := filepath.Join(dir, "slipstick-mcp"), filepath.Join(dir, "packer"), filepath.Join(dir, "registry")
	err := os.Mkdir(out, 0o700)
	if err == nil {
		err = goBuild(filepath.Join(root, "host"), program, "./cmd/slipstick-mcp")
	}
	if err == nil {
		err = goBuild(filepath.Join(root, "tools"), packer, "./package")
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := slipstick(t.Context(), "publish", "--to", registry, enginePath("ohms_law")); r.code != exitOK {
		t.Fatal(r.err)
	}
	cmd := exec.CommandContext(t.Context(), packer, "--root", root, "--out", out, "--version", "1.2.3", "--revision", "0123abc", "mcpb", "--program", program, "--runtime", filepath.Join(built.dir, "slipstick-text"), "--library", registry)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	return out
}

// checkServerJSON checks the file for the registry of MCP servers against the rules of that registry.
func checkServerJSON(t *testing.T, file, bundle string) {
	t.Helper()
	var server struct {
		Schema                     string `json:"$schema"`
		Name, Description, Version string
		Title                      string
		Repository                 struct{ URL, Source string }
		Packages                   []struct {
			RegistryType, Identifier, FileSha256 string
			Transport                            struct{ Type string }
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(mustRead(t, file)))
	if err := decoder.Decode(&server); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/server\.schema\.json$`).MatchString(server.Schema) ||
		!regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(server.Name) || len(server.Description) > 100 || server.Description == "" ||
		len(server.Title) > 100 || server.Version != "1.2.3" || server.Repository.Source != "github" || !strings.HasPrefix(server.Repository.URL, "https://github.com/") {
		t.Errorf("server.json: %+v", server)
	}
	if len(server.Packages) != 1 {
		t.Fatalf("packages %+v", server.Packages)
	}
	p := server.Packages[0]
	if p.RegistryType != "mcpb" || p.Transport.Type != "stdio" || p.FileSha256 != fmt.Sprintf("%x", sha256.Sum256(mustRead(t, bundle))) ||
		p.Identifier != "https://github.com/slipstick/slipstick/releases/download/v1.2.3/"+filepath.Base(bundle) {
		t.Errorf("package %+v", p)
	}
}
