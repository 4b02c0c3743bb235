// Package render renders the Helm chart of a directory into manifests. It uses Helm's own code to read
// the chart, check the values against its schema, and render it. See [Manifests] and [Chart].
package render

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// Manifests renders the chart with its default values into files by name. Not every cluster
// knows the kind ServiceMonitor, so it has its own file.
func Manifests(dir string) (map[string]string, error) {
	plain, err := Chart(dir, nil)
	if err != nil {
		return nil, err
	}
	monitored, err := Chart(dir, map[string]any{"serviceMonitor": map[string]any{"enabled": true}})
	if err != nil {
		return nil, err
	}
	monitor, found := strings.CutPrefix(monitored, plain)
	if !found || monitor == "" {
		return nil, errors.New("servicemonitor.yaml is not the last of the chart's templates, or changes others")
	}
	return map[string]string{"slipstick.yaml": plain, "servicemonitor.yaml": monitor}, nil
}

// Chart renders the chart of a directory as the release slipstick. The values override its default
// values. The manifests are in the order of their files.
func Chart(dir string, values map[string]any) (string, error) {
	chart, err := loader.LoadDir(dir)
	if err != nil {
		return "", err
	}
	release := chartutil.ReleaseOptions{Name: "slipstick", Namespace: "default", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, release, nil)
	if err != nil {
		return "", err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if text := strings.TrimSpace(files[file]); text != "" && path.Ext(file) == ".yaml" {
			out.WriteString("---\n" + text + "\n")
		}
	}
	return out.String(), nil
}
