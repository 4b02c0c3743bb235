package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/tools/package/internal/archive"
	"github.com/slipstick/slipstick/host/tools/package/internal/library"
	"github.com/slipstick/slipstick/host/tools/package/internal/release"
	"github.com/slipstick/slipstick/host/tools/package/internal/tree"
)

// maxBundle is the size limit of a bundle, in bytes.
const maxBundle = 25_000_000

// mcpbCmd makes bundles for desktop clients of MCP, and server.json for the registry of MCP servers.
type mcpbCmd struct{ programs }

// Run makes a bundle for every program slipstick-mcp, and server.json with their digests.
func (c *mcpbCmd) Run(r *run) error {
	server, err := readObject(r.deploy("mcpb", "server.json"))
	if err != nil {
		return err
	}
	all, err := c.read()
	if err != nil {
		return err
	}
	var packages []any
	for _, one := range all {
		bundle, err := c.one(r, one)
		if err != nil {
			return err
		}
		fmt.Println(filepath.Base(bundle))
		sum, err := archive.Digest(bundle)
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{
			"registryType": "mcpb", "identifier": fmt.Sprintf("%s/releases/download/v%s/%s", release.Source, r.Version, filepath.Base(bundle)),
			"fileSha256": sum, "transport": map[string]string{"type": "stdio"},
		})
	}
	server["version"], server["packages"] = r.Version, packages
	return writeObject(filepath.Join(r.out, "server.json"), server)
}

// one makes the bundle of a program, with the documents of the library. The program of text engines is only in the
// library. Engines in Go are left out, because a bundle would be too large.
func (c *mcpbCmd) one(r *run, p *installed) (string, error) {
	name := fmt.Sprintf("slipstick-mcp-%s-%s-%s", r.Version, p.OS, p.Arch)
	t := tree.New(r.Time)
	engines, err := library.Add(t, "registry", &library.Content{Registry: c.Library, Runtime: p.runtime, Documents: true})
	if err != nil {
		return "", err
	}
	bill, notices, err := r.bill(name, append(p.all(), engines...))
	if err != nil {
		return "", err
	}
	manifest, err := readObject(r.deploy("mcpb", "manifest.json"))
	if err != nil {
		return "", err
	}
	if r.licence.Exists() {
		manifest["license"] = r.licence.ID
	}
	manifest["version"], manifest["compatibility"] = r.Version, map[string]any{"platforms": []string{p.OS}}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return "", err
	}
	t.Text("manifest.json", append(text, '\n'))
	t.Text("sbom.spdx.json", bill)
	t.Text("NOTICES", notices)
	r.addLicence(t, "")
	t.Add("server/slipstick-mcp", tree.File{Mode: 0o755, From: p.Path})
	file := filepath.Join(r.out, name+".mcpb")
	return file, writeBundle(file, t)
}

// writeBundle writes the tree as a zip file that is not larger than maxBundle.
func writeBundle(file string, t *tree.Tree) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = t.Zip(f)
	info, failed := f.Stat()
	if err == nil {
		err = failed
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return checkSize(filepath.Base(file), info.Size())
}

// checkSize returns an error if a bundle is too large.
func checkSize(name string, size int64) error {
	if size > maxBundle {
		return fmt.Errorf("%s has %d bytes, more than %d", name, size, maxBundle)
	}
	return nil
}

// readObject reads a file with a JSON object.
func readObject(file string) (object map[string]any, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &object)
	}
	return object, err
}

// writeObject writes a JSON object to a file.
func writeObject(file string, object map[string]any) error {
	data, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
