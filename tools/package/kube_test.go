package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestKubePlay runs the chart's manifests with podman, without the parts that podman does not
// support. The service answers, and stops when it is asked to.
func TestKubePlay(t *testing.T) {
	p := newPodman(t)
	image := p.load(t, "slipstick-[0-9]*-linux-"+runtime.GOARCH+".docker.tar")
	text, err := os.ReadFile(delivered(t, "kubernetes-*-slipstick.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	manifests := filepath.Join(t.TempDir(), "slipstick.yaml")
	if err := os.WriteFile(manifests, playable(t, string(text), image, p.registry(t, image)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(t, "kube", "play", manifests)
	const it = "slipstick-pod-0-slipstick"
	down := func() (string, error) { return p.try(t, "kube", "play", "--down", manifests) }
	t.Cleanup(func() { _, _ = down() })
	p.ready(t, it)
	for _, path := range []string{"/livez", "/readyz"} {
		if out := p.asks(t, path); !strings.HasSuffix(out, " 200") {
			t.Errorf("%s: %s", path, out)
		}
	}
	p.answers(t, it, published)
	if read := p.must(t, "inspect", "--format", "{{.HostConfig.ReadonlyRootfs}}", it); read != "true" {
		t.Error("the root can be written")
	}
	if out, err := down(); err != nil {
		t.Error(out, err)
	}
	if left := p.must(t, "ps", "--all", "--quiet"); left != "" {
		t.Errorf("containers are left: %s", left)
	}
}

// playable sets the operator's values, the image and the registry. It removes the
// parts of the Deployment that podman cannot apply to an existing network: ports and
// probes, which use ports.
func playable(t *testing.T, text, image, registry string) []byte {
	t.Helper()
	var out []string
	for manifest := range strings.SplitSeq(text, "---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(manifest), &object); err != nil {
			t.Fatal(err)
		}
		if object["kind"] == "Deployment" {
			pod := object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
			pod["hostNetwork"] = true
			container := pod["containers"].([]any)[0].(map[string]any)
			container["image"] = image
			for _, name := range []string{"ports", "startupProbe", "livenessProbe", "readinessProbe"} {
				if container[name] == nil {
					t.Errorf("the container has no %s", name)
				}
				delete(container, name)
			}
			changed, err := yaml.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			manifest = strings.ReplaceAll(string(changed), "registry.example.org", registry)
		}
		out = append(out, manifest)
	}
	return []byte(strings.Join(out, "---\n"))
}
