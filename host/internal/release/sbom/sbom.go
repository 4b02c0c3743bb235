// Package sbom lists the modules in the executables of a release. [SPDX] returns a document of SPDX 2.3, from
// the build information that Go writes into executables.
package sbom

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/release/spdx"
	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// SPDX returns the document of a release. The same release always has the same bytes, because the time in the
// document is the time of the publication.
func SPDX(rel *registry.Release) ([]byte, error) {
	if rel.Table != nil {
		return nil, fmt.Errorf("%s %s is a table, which has no executables and no modules", rel.Capability, rel.Version)
	}
	created := rel.Created
	if created.IsZero() { // a document needs a time
		created = time.Unix(0, 0)
	}
	d := spdx.New(rel.Capability+" "+rel.Version, "slipstick", created)
	d.Namespace = "https://spdx.org/spdxdocs/slipstick-" + strings.TrimPrefix(rel.Digest, "sha256:")
	source := ""
	b, err := evidence.BuildOf(rel.Evidence)
	if err == nil {
		source = strings.TrimSuffix(fmt.Sprintf("built from the source %s, commit %s", b.Source(), b.Revision), ", commit ")
	}
	for _, platform := range rel.Platforms {
		executable, err := rel.EngineFor(platform)
		if err != nil {
			return nil, err
		}
		info, err := tree.Info(executable)
		if err != nil {
			return nil, fmt.Errorf("engine of %s %s for %s: %w", rel.Capability, rel.Version, platform, err)
		}
		digest := strings.TrimPrefix(rel.Engines[platform], "sha256:")
		from := source
		if b != nil && len(b.Runtimes) > 0 {
			from = fmt.Sprintf("joined from the runtime %s and the document sha256:%s", b.Runtimes[platform], b.Files[0].SHA256)
		}
		d.Add(spdx.Program{Name: rel.Capability, Version: rel.Version, Platform: platform, SHA256: digest, Source: from}, modulesOf(info))
	}
	return d.JSON()
}

// modulesOf returns the modules that are linked into a program, including the standard library of Go.
func modulesOf(info *debug.BuildInfo) []spdx.Module {
	list := []spdx.Module{{Ecosystem: "golang", Path: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil && m.Replace.Version != "" && m.Replace.Version != local {
			m = m.Replace
		}
		if m.Sum == "" {
			list = append(list, spdx.Module{Ecosystem: "golang", Path: m.Path, Source: "part of the source of the release"})
			continue
		}
		list = append(list, spdx.Module{Ecosystem: "golang", Path: m.Path, Version: m.Version, Source: "sum of the module in go.sum: " + m.Sum})
	}
	return list
}

// local is the version of a module that was built from a directory.
const local = "(devel)"
