// Command kubernetes renders a chart with its default values into the manifests slipstick.yaml and,
// for clusters with the Prometheus Operator, servicemonitor.yaml. scripts/package manifests runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/deploy/kubernetes/internal/render"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: kubernetes CHART DIR HEADER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "kubernetes:", err)
		os.Exit(1)
	}
}

func write(chart, dir, header string) error {
	files, err := render.Manifests(chart)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(header+"\n"+text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
