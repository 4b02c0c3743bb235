package program

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/spdx"
	"github.com/slipstick/slipstick/host/tools/package/internal/licence"
	"github.com/slipstick/slipstick/host/tools/package/internal/release"
)

// Embedded is an npm package with files that a program of this repository contains.
type Embedded struct {
	Name, Version string
	Licence       string // the text of its licence
}

// ReadEmbedded reads the version of an npm package from a directory of assets.
func ReadEmbedded(name, assets string) (Embedded, error) {
	version, err := os.ReadFile(filepath.Join(assets, "VERSION"))
	if err != nil {
		return Embedded{}, fmt.Errorf("%w: scripts/node/assets gets what the pages contain", err)
	}
	text, err := os.ReadFile(filepath.Join(assets, "LICENSE"))
	return Embedded{name, strings.TrimSpace(string(version)), string(text)}, err
}

// Bill returns the bill of materials of a package as an SPDX 2.3 document in
// JSON. It lists every program with the digest of its file, its modules, and the version of Go.
func Bill(name string, r *release.Release, programs []*Program, embedded []Embedded, l licence.Licence) ([]byte, error) {
	d := spdx.New(name+"-"+r.Version, "slipstick-package-"+r.Version, r.Time)
	for _, p := range programs {
		d.Add(spdx.Program{Name: p.Name, Version: r.Version, Platform: p.OS + "/" + p.Arch, SHA256: p.SHA256, Licence: l.ID}, p.contents(embedded))
	}
	if text := l.Extracted(); text != "" {
		d.Extract(l.ID, text)
	}
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(d); err != nil {
		return nil, err
	}
	d.Namespace = release.Source + "/spdx/" + d.Name + "-" + hex.EncodeToString(hash.Sum(nil)[:16])
	return d.JSON()
}

// contents returns the modules of a program, and its embedded npm packages.
func (p *Program) contents(embedded []Embedded) []spdx.Module {
	list := []spdx.Module{{Ecosystem: "golang", Path: "stdlib", Version: strings.TrimPrefix(p.Go, "go")}}
	for _, m := range p.Modules {
		if !strings.HasPrefix(m.Path, ModulePrefix) {
			list = append(list, spdx.Module{Ecosystem: "golang", Path: m.Path, Version: m.Version})
		}
	}
	if p.Name == "slipstick" {
		for _, e := range embedded {
			list = append(list, spdx.Module{Ecosystem: "npm", Path: e.Name, Version: e.Version})
		}
	}
	return list
}
