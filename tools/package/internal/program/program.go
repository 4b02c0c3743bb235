// Package program reads the build information of Go programs, and creates bills of materials and licence
// notices from it. See [Read], [Bill] and [Notices].
package program

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/tools/package/internal/archive"
)

// Program is an executable that Go built.
type Program struct {
	Name, Path   string
	SHA256       string // of the file, in hex
	OS, Arch, Go string
	Modules      []Module // its modules in order; modules of this repository have no version
}

// Module is a Go module at a version.
type Module struct{ Path, Version string }

func (m Module) compare(other Module) int {
	return cmp.Or(cmp.Compare(m.Path, other.Path), cmp.Compare(m.Version, other.Version))
}

// ModulePrefix is the common prefix of the module paths of this repository.
const ModulePrefix = "github.com/slipstick/slipstick"

// Read reads the build information of a program.
func Read(file string) (*Program, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s is not a Go program with build information: %w", file, err)
	}
	sum, err := archive.Digest(file)
	if err != nil {
		return nil, err
	}
	p := &Program{Name: path.Base(info.Path), Path: file, SHA256: sum, Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			p.OS = s.Value
		case "GOARCH":
			p.Arch = s.Value
		}
	}
	for _, m := range info.Deps {
		p.Modules = append(p.Modules, moduleOf(m))
	}
	slices.SortFunc(p.Modules, Module.compare)
	return p, nil
}

func moduleOf(m *debug.Module) Module {
	if strings.HasPrefix(m.Path, ModulePrefix) {
		return Module{Path: m.Path}
	}
	if m.Replace != nil {
		m = m.Replace
	}
	return Module{m.Path, m.Version}
}

// Modules returns the modules of the programs, each module and version once, without the modules
// of this repository.
func Modules(programs []*Program) []Module {
	all := map[Module]bool{}
	for _, p := range programs {
		for _, m := range p.Modules {
			if !strings.HasPrefix(m.Path, ModulePrefix) {
				all[m] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), Module.compare)
}
