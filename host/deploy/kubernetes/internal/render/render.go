// Package render answers one question: which manifests does a chart give? Helm itself reads the
// chart, checks the values against its schema, and renders it.
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

// Manifests are those of the chart with its own values, in files by name. Not every cluster
// knows the kind ServiceMonitor, so it has a file of its own.
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

// Chart renders the chart of a directory as the release slipstick, with these values beside its
// own. The manifests are in the order of their files.
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
