// Package chart packs the Helm chart of a release reproducibly, see [Pack]. The
// command helm packs the same files to different bytes each time. [Manifests]
// writes the manifests that the chart renders.
package chart

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/tools/package/internal/archive"
	"github.com/slipstick/slipstick/host/tools/package/internal/release"
	"github.com/slipstick/slipstick/host/tools/package/internal/tree"
)

// Unreleased is the version of the chart and of its image in the repository. [Pack] replaces it with
// the version of the release.
const Unreleased = "0.0.0-unreleased"

// Pack writes the chart of a directory as slipstick-VERSION.tgz, for helm install.
func Pack(dir, chart string, r *release.Release) (string, error) {
	t := tree.New(r.Time)
	if err := t.AddDir("slipstick", chart, func(string) bool { return true }); err != nil {
		return "", err
	}
	about, err := released(filepath.Join(chart, "Chart.yaml"), r)
	if err != nil {
		return "", err
	}
	t.Text("slipstick/Chart.yaml", about)
	file := filepath.Join(dir, "slipstick-"+r.Version+".tgz")
	return file, archive.Write(file, t)
}

// Manifests writes the manifests of a directory as kubernetes-VERSION-NAME.yaml, for kubectl
// apply. They are rendered from the chart with its default values.
func Manifests(dir, rendered string, r *release.Release) ([]string, error) {
	var files []string
	for _, name := range []string{"slipstick.yaml", "servicemonitor.yaml"} {
		text, err := released(filepath.Join(rendered, name), r)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, "kubernetes-"+r.Version+"-"+name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// released returns a file with the version of the release.
func released(file string, r *release.Release) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(text, []byte(Unreleased)) {
		return nil, fmt.Errorf("%s does not contain the placeholder %s for the version of the release", file, Unreleased)
	}
	return bytes.ReplaceAll(text, []byte(Unreleased), []byte(r.Version)), nil
}
