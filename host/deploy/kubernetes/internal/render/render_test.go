package render

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/pod-security-admission/api"
	security "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

var (
	chartDir  = filepath.Join("..", "..", "..", "chart")
	manifests = filepath.Join("..", "..", "..", "manifests")

	batchExample = filepath.Join("..", "..", "..", "..", "..", "docs", "examples", "batch", "kubernetes.yaml")
)

// objects are rendered manifests, each decoded strictly into the type of its kind.
type objects struct {
	deployment *apps.Deployment
	service    *core.Service
	budget     *policy.PodDisruptionBudget
	scaler     *autoscaling.HorizontalPodAutoscaler
	network    *networking.NetworkPolicy
	monitor    *monitoring.ServiceMonitor
}

func decode(t *testing.T, text string) *objects {
	t.Helper()
	var o objects
	for manifest := range strings.SplitSeq(text, "---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(manifest), &kind); err != nil {
			t.Fatal(err)
		}
		var err error
		switch kind.APIVersion + " " + kind.Kind {
		case "apps/v1 Deployment":
			err = yaml.UnmarshalStrict([]byte(manifest), &o.deployment)
		case "v1 Service":
			err = yaml.UnmarshalStrict([]byte(manifest), &o.service)
		case "policy/v1 PodDisruptionBudget":
			err = yaml.UnmarshalStrict([]byte(manifest), &o.budget)
		case "autoscaling/v2 HorizontalPodAutoscaler":
			err = yaml.UnmarshalStrict([]byte(manifest), &o.scaler)
		case "networking.k8s.io/v1 NetworkPolicy":
			err = yaml.UnmarshalStrict([]byte(manifest), &o.network)
		case "monitoring.coreos.com/v1 ServiceMonitor":
			err = yaml.UnmarshalStrict([]byte(manifest), &o.monitor)
		case " ":
		default:
			t.Errorf("%s is not expected", kind)
		}
		if err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
	}
	if o.deployment == nil || o.service == nil || o.budget == nil {
		t.Fatalf("some of the manifests are missing in\n%s", text)
	}
	return &o
}

// variants are combinations of values that override the default values of the chart.
var variants = map[string]map[string]any{
	"as it is": nil,
	"a library in the image, no sandbox, a fixed number": {
		"image": map[string]any{"repository": "registry.example.org/slipstick", "digest": "sha256:" + strings.Repeat("0", 64), "pullSecrets": []any{"pull"}}, "registry": "",
		"sandbox": false, "replicas": 5, "autoscaling": map[string]any{"enabled": false},
		"networkPolicy": map[string]any{"enabled": false},
	},
	"everything": {
		"serviceMonitor": map[string]any{"enabled": true},
		"registrySecret": "registry", "registryPlainHTTP": true, "baseURL": "https://calc.example.org",
		"redis": map[string]any{"secret": "redis", "key": "address"}, "snapshotKey": map[string]any{"secret": "snapshots"},
		"settings": map[string]any{"SLIPSTICK_LIMIT": "calc=600", "SLIPSTICK_WARM": true, "SLIPSTICK_CACHE": 128}, "trustedProxies": []any{"10.0.0.0/8", "fd00::/8"},
		"drain":          map[string]any{"delaySeconds": 15, "timeoutSeconds": 30, "marginSeconds": 5},
		"seccompProfile": map[string]any{"type": "Localhost", "localhostProfile": "slipstick.json"},
		"podAnnotations": map[string]any{"a": "b"}, "nodeSelector": map[string]any{"kubernetes.io/arch": "amd64"},
		"tolerations":   []any{map[string]any{"key": "calc", "operator": "Exists"}},
		"affinity":      map[string]any{"nodeAffinity": map[string]any{}},
		"networkPolicy": map[string]any{"from": []any{map[string]any{"podSelector": map[string]any{"matchLabels": map[string]any{"app": "gateway"}}}}},
	},
}

func TestVariants(t *testing.T) {
	for name, values := range variants {
		t.Run(name, func(t *testing.T) {
			text, err := Chart(chartDir, values)
			if err != nil {
				t.Fatal(err)
			}
			o := decode(t, text)
			o.agree(t)
			o.restricted(t)
			o.drains(t)
		})
	}
}

// agree checks that the objects select the same pods and the same port. Decoding cannot check this.
func (o *objects) agree(t *testing.T) {
	t.Helper()
	template := o.deployment.Spec.Template
	selectors := map[string]*meta.LabelSelector{
		"Deployment": o.deployment.Spec.Selector, "PodDisruptionBudget": o.budget.Spec.Selector,
		"Service": {MatchLabels: o.service.Spec.Selector},
	}
	for i := range template.Spec.TopologySpreadConstraints {
		selectors[template.Spec.TopologySpreadConstraints[i].TopologyKey] = template.Spec.TopologySpreadConstraints[i].LabelSelector
	}
	if o.network != nil {
		selectors["NetworkPolicy"] = &o.network.Spec.PodSelector
	}
	for name, s := range selectors {
		selector, err := meta.LabelSelectorAsSelector(s)
		if err != nil || selector.Empty() || !selector.Matches(labels.Set(template.Labels)) {
			t.Errorf("%s selects %v, which is not the pods with %v: %v", name, selector, template.Labels, err)
		}
	}
	ports := map[string]bool{}
	for _, p := range template.Spec.Containers[0].Ports {
		ports[p.Name] = true
	}
	for _, p := range o.service.Spec.Ports {
		if !ports[p.TargetPort.StrVal] {
			t.Errorf("the service leads to the port %s, which no container has", p.TargetPort.String())
		}
	}
	if o.scaler != nil && (o.scaler.Spec.ScaleTargetRef.Name != o.deployment.Name || o.deployment.Spec.Replicas != nil) {
		t.Errorf("the autoscaler means %q, with %v replicas", o.scaler.Spec.ScaleTargetRef.Name, o.deployment.Spec.Replicas)
	}
	if o.monitor != nil {
		o.monitors(t)
	}
}

func (o *objects) monitors(t *testing.T) {
	t.Helper()
	selector, err := meta.LabelSelectorAsSelector(&o.monitor.Spec.Selector)
	if err != nil || !selector.Matches(labels.Set(o.service.Labels)) || o.monitor.Spec.Endpoints[0].Port != o.service.Spec.Ports[0].Name {
		t.Errorf("the monitor selects %v, port %s", selector, o.monitor.Spec.Endpoints[0].Port)
	}
}

func (o *objects) restricted(t *testing.T) {
	t.Helper()
	restricted(t, &o.deployment.Spec.Template)
}

// restricted applies the admission rules of Kubernetes for a namespace of the level restricted.
func restricted(t *testing.T, template *core.PodTemplateSpec) {
	t.Helper()
	judge, err := security.NewEvaluator(security.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	verdict := security.AggregateCheckResults(judge.EvaluatePod(level, &template.ObjectMeta, &template.Spec))
	if !verdict.Allowed {
		t.Errorf("restricted pod security: %s", verdict.ForbiddenDetail())
	}
}

// drains checks that a pod has enough time for the drain settings of its server.
func (o *objects) drains(t *testing.T) {
	t.Helper()
	var seconds int64
	for _, e := range o.deployment.Spec.Template.Spec.Containers[0].Env {
		if e.Name == "SLIPSTICK_DRAIN_DELAY" || e.Name == "SLIPSTICK_DRAIN_TIMEOUT" {
			d, err := time.ParseDuration(e.Value)
			if err != nil {
				t.Error(err)
			}
			seconds += int64(d.Seconds())
		}
	}
	if grace := *o.deployment.Spec.Template.Spec.TerminationGracePeriodSeconds; seconds == 0 || grace <= seconds {
		t.Errorf("the pod is killed after %d s, the host takes up to %d s", grace, seconds)
	}
}

// The schema of the values refuses values that would be ignored or fail later.
func TestBadValues(t *testing.T) {
	for name, tt := range map[string]struct {
		values map[string]any
		want   string
	}{
		"an unknown value":  {map[string]any{"replica": 3}, "replica"},
		"a wrong type":      {map[string]any{"replicas": "three"}, "replicas"},
		"no OCI registry":   {map[string]any{"registry": "registry.example.org/calc"}, "registry"},
		"an unknown level":  {map[string]any{"seccompProfile": map[string]any{"type": "Unconfined"}}, "seccompProfile"},
		"no file":           {map[string]any{"seccompProfile": map[string]any{"type": "Localhost"}}, "localhostProfile"},
		"an old name":       {map[string]any{"jail": false}, "the value jail is now sandbox"},
		"a foreign setting": {map[string]any{"settings": map[string]any{"PATH": "/"}}, "PATH"},
	} {
		if _, err := Chart(chartDir, tt.values); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want a word about %s", name, err, tt.want)
		}
	}
}

func TestLint(t *testing.T) {
	for _, values := range variants {
		found := lint.All(chartDir, values, "default", true)
		for _, m := range found.Messages {
			if m.Severity > support.InfoSev {
				t.Error(m)
			}
		}
	}
}

// The example of a batch is a valid Job for Kubernetes with a pod for each shard.
func TestBatchExample(t *testing.T) {
	text, err := os.ReadFile(batchExample)
	if err != nil {
		t.Fatal(err)
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		t.Fatal(err)
	}
	if s := job.Spec; *s.CompletionMode != batch.IndexedCompletion || !slices.Contains(s.Template.Spec.Containers[0].Args, fmt.Sprint("auto/", *s.Completions)) {
		t.Errorf("%s, %d completions of %v", *s.CompletionMode, *s.Completions, s.Template.Spec.Containers[0].Args)
	}
	restricted(t, &job.Spec.Template)
}

// The manifests in the repository are up to date with the chart.
func TestManifests(t *testing.T) {
	files, err := Manifests(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, rendered := range files {
		committed, err := os.ReadFile(filepath.Join(manifests, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, text, _ := strings.Cut(string(committed), "---\n"); "---\n"+text != rendered {
			t.Errorf("%s is not what the chart gives: run scripts/package manifests\n%s\n%s", name, committed, rendered)
		}
	}
}
