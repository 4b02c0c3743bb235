package chart

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var (
	chartDir  = filepath.Join("..", "..", "..", "..", "host", "deploy", "chart")
	manifests = filepath.Join("..", "..", "..", "..", "host", "deploy", "manifests")
)

// digest returns the digest of the chart in the same way as scripts/package: the digest of the output of sha256sum.
func digest(t *testing.T) string {
	t.Helper()
	var names []string
	lines := sha256.New()
	err := fs.WalkDir(os.DirFS(chartDir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, "./"+name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(chartDir, name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(lines, "%x  %s\n", sha256.Sum256(data), name)
	}
	return fmt.Sprintf("%x", lines.Sum(nil))
}

// The manifests were rendered from the current chart. Helm itself compares them in
// scripts/soak kubernetes.
func TestManifestsAreOfTheChart(t *testing.T) {
	want := digest(t)
	for _, name := range []string{"slipstick.yaml", "servicemonitor.yaml"} {
		text, err := os.ReadFile(filepath.Join(manifests, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\n# "+want+"\n") {
			t.Errorf("manifests/%s was made of another chart than that with %s: run scripts/package manifests", name, want)
		}
	}
}

// pod is the checked part of a Deployment, without the types of Kubernetes.
type pod struct {
	Spec struct {
		Selector struct{ MatchLabels map[string]string }
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				TerminationGracePeriodSeconds int
				SecurityContext               struct {
					RunAsNonRoot   bool
					SeccompProfile struct{ Type string }
				}
				Containers []struct {
					SecurityContext struct {
						AllowPrivilegeEscalation *bool
						ReadOnlyRootFilesystem   bool
						Capabilities             struct{ Drop []string }
					}
					ReadinessProbe, LivenessProbe, StartupProbe struct{ HTTPGet struct{ Path string } }
				}
			}
		}
	}
}

// The manifests meet the requirements of a restricted namespace and a rolling restart.
func TestDeployment(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(manifests, "slipstick.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(strings.Split(string(text), "---\n"), func(one string) bool { return strings.Contains(one, "\nkind: Deployment\n") })
	var p pod
	if err := yaml.Unmarshal([]byte(strings.Split(string(text), "---\n")[i]), &p); err != nil {
		t.Fatal(err)
	}
	spec := p.Spec.Template.Spec
	for key, value := range p.Spec.Selector.MatchLabels {
		if p.Spec.Template.Metadata.Labels[key] != value {
			t.Errorf("the pods do not have the label %s=%s that selects them", key, value)
		}
	}
	c := spec.Containers[0]
	if len(p.Spec.Selector.MatchLabels) == 0 || spec.TerminationGracePeriodSeconds <= 15 || !spec.SecurityContext.RunAsNonRoot || spec.SecurityContext.SeccompProfile.Type != "RuntimeDefault" {
		t.Errorf("the pod: %+v", spec)
	}
	if s := c.SecurityContext; s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || !s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("the container may do more than it must: %+v", s)
	}
	if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/livez" || c.StartupProbe.HTTPGet.Path != "/livez" {
		t.Errorf("the probes: %+v", c)
	}
}
