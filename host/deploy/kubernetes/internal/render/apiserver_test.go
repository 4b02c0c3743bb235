package render

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// resources are the API paths for objects of each kind. The API server does not know third-party
// kinds such as ServiceMonitor; decode checks them against their own types.
var resources = map[string]string{
	"Deployment": "/apis/apps/v1/namespaces/default/deployments", "Service": "/api/v1/namespaces/default/services",
	"PodDisruptionBudget":     "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
	"HorizontalPodAutoscaler": "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
	"NetworkPolicy":           "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
}

// A real API server accepts all manifests in a dry run. It also accepts their pods in a namespace that
// enforces restricted pod security. It refuses invalid manifests.
func TestAPIServer(t *testing.T) {
	program := os.Getenv("KUBE_APISERVER")
	if program == "" {
		t.Skip("scripts/soak kubernetes runs it, with KUBE_APISERVER")
	}
	s := startAPIServer(t, program)
	for name, values := range variants {
		t.Run(name, func(t *testing.T) {
			text, err := Chart(chartDir, values)
			if err != nil {
				t.Fatal(err)
			}
			for kind, manifest := range manifestsOf(t, text) {
				path := resources[kind]
				if path == "" && kind != "ServiceMonitor" {
					t.Errorf("no API server judges the kind %s", kind)
				}
				if path == "" {
					continue
				}
				if status, body := s.post(t, path, manifest); status != http.StatusCreated {
					t.Errorf("%s: %d %s", kind, status, body)
				}
			}
			s.runs(t, decode(t, text))
		})
	}
	job, err := os.ReadFile(batchExample)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := s.post(t, "/apis/batch/v1/namespaces/default/jobs", string(job)); status != http.StatusCreated {
		t.Errorf("the example of a batch: %d %s", status, body)
	}
	t.Run("invalid manifests", s.refuses)
}

// refuses makes each manifest invalid in turn, and expects an error that names the cause.
func (s *apiServer) refuses(t *testing.T) {
	text, err := Chart(chartDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	good := manifestsOf(t, text)
	for name, tt := range map[string]struct {
		kind, from, to string
		status         int
		want           string
	}{
		"an unknown field":             {"Deployment", "  strategy:", "  replica: 3\n  strategy:", http.StatusBadRequest, `unknown field \"spec.replica\"`},
		"a wrong type":                 {"Deployment", "revisionHistoryLimit: 5", "revisionHistoryLimit: five", http.StatusBadRequest, "cannot unmarshal string"},
		"a selector for other pods":    {"Deployment", "matchLabels:", "matchLabels:\n      app: other", http.StatusUnprocessableEntity, "`selector` does not match template `labels`"},
		"a probe of an unknown scheme": {"Deployment", "path: /readyz", "scheme: GOPHER\n              path: /readyz", http.StatusUnprocessableEntity, "readinessProbe.httpGet.scheme"},
		"a missing volume":             {"Deployment", "- name: tmp\n              mountPath", "- name: temp\n              mountPath", http.StatusUnprocessableEntity, "volumeMounts[1].name"},
		"an invalid port":              {"Service", "port: 80", "port: 80000", http.StatusUnprocessableEntity, "spec.ports[0].port"},
		"fewer pods at most":           {"HorizontalPodAutoscaler", "maxReplicas: 10", "maxReplicas: 2", http.StatusUnprocessableEntity, "spec.maxReplicas"},
		"an unknown direction":         {"NetworkPolicy", `"Egress"]`, `"Exit"]`, http.StatusUnprocessableEntity, "spec.policyTypes[1]"},
		"two bounds of a budget":       {"PodDisruptionBudget", "maxUnavailable: 1", "maxUnavailable: 1\n  minAvailable: 1", http.StatusUnprocessableEntity, "cannot be both set"},
	} {
		bad := strings.Replace(good[tt.kind], tt.from, tt.to, 1)
		if bad == good[tt.kind] {
			t.Errorf("%s: the %s has no %q", name, tt.kind, tt.from)
			continue
		}
		if status, body := s.post(t, resources[tt.kind], bad); status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", name, status, body, tt.status, tt.want)
		}
	}
}

// manifestsOf returns rendered manifests by their kinds.
func manifestsOf(t *testing.T, text string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for manifest := range strings.SplitSeq(text, "---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(manifest), &kind); err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(manifest) == "" {
			continue
		}
		if found[kind.Kind] != "" {
			t.Fatalf("two manifests have the kind %s", kind.Kind)
		}
		found[kind.Kind] = manifest
	}
	return found
}

// runs creates a pod of the template in a namespace that enforces restricted pod security.
func (s *apiServer) runs(t *testing.T, o *objects) {
	t.Helper()
	template := o.deployment.Spec.Template
	pod := core.Pod{TypeMeta: meta.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = "slipstick"
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := s.post(t, "/api/v1/namespaces/restricted/pods", string(text)); status != http.StatusCreated {
		t.Errorf("a pod: %d %s", status, body)
	}
	pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
	text, err = json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := s.post(t, "/api/v1/namespaces/restricted/pods", string(text)); status != http.StatusForbidden || !strings.Contains(body, "allowPrivilegeEscalation != false") {
		t.Errorf("a pod that may gain privileges: %d %s", status, body)
	}
}

// apiServer is a private kube-apiserver with its own etcd.
type apiServer struct {
	url    string
	client *http.Client
}

const token = "a-token-of-this-test"

func startAPIServer(t *testing.T, program string) *apiServer {
	t.Helper()
	dir := t.TempDir()
	store, serving := "http://"+free(t), free(t)
	start(t, "etcd", "--data-dir", filepath.Join(dir, "etcd"), "--listen-client-urls", store, "--advertise-client-urls", store, "--listen-peer-urls", "http://"+free(t))
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	accounts, tokens := filepath.Join(dir, "accounts.pem"), filepath.Join(dir, "tokens.csv")
	write(t, accounts, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	write(t, tokens, []byte(token+",admin,1,system:masters\n"))
	host, port, _ := net.SplitHostPort(serving)
	start(t, program, "--etcd-servers", store, "--bind-address", host, "--advertise-address", host, "--secure-port", port, "--cert-dir", dir,
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-signing-key-file", accounts, "--service-account-key-file", accounts,
		"--token-auth-file", tokens, "--authorization-mode", "AlwaysAllow", "--service-cluster-ip-range", "10.0.0.0/24",
		"--disable-admission-plugins", "ServiceAccount")
	// It creates its own certificate, and listens on a loopback address.
	s := &apiServer{"https://" + serving, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
	for deadline := time.Now().Add(2 * time.Minute); !s.has("/readyz") || !s.has("/api/v1/namespaces/default"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the API server is not ready after two minutes")
		}
	}
	const restricted = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"restricted","labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}`
	status, body := s.send(t, "/api/v1/namespaces", restricted)
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	return s
}

// start starts a program and stops it at the end of the test.
func start(t *testing.T, program string, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var output bytes.Buffer
	c := exec.CommandContext(ctx, program, args...)
	c.Stdout, c.Stderr = &output, &output
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = c.Wait()
		if t.Failed() {
			t.Logf("%s:\n%.4000s", filepath.Base(program), output.String())
		}
	})
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// has reports whether GET of the path returns 200.
func (s *apiServer) has(path string) bool {
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := s.client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// post creates an object in a dry run with strict validation.
func (s *apiServer) post(t *testing.T, path, manifest string) (int, string) {
	t.Helper()
	return s.send(t, path+"?dryRun=All&fieldValidation=Strict", manifest)
}

func (s *apiServer) send(t *testing.T, path, manifest string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(manifest))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/yaml")
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, fmt.Sprintf("%.600s", body)
}
