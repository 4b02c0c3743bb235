package system

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/registry/sign"
)

// signers creates keys with the command, and a trust file in which each key has the role of its name.
func signers(t *testing.T, roles ...sign.Role) (keys map[sign.Role]string, trust string) {
	t.Helper()
	dir := t.TempDir()
	keys = map[sign.Role]string{}
	var entries []string
	for _, role := range roles {
		path := filepath.Join(dir, string(role))
		var entry sign.Key
		if err := json.Unmarshal([]byte(does(t, "keys", "new", "--no-password", "--role", string(role), path)), &entry); err != nil {
			t.Fatal(err)
		}
		if entry.Name != string(role) || !slices.Equal(entry.Roles, []sign.Role{role}) || !slices.Equal(entry.Capabilities, []string{"*"}) {
			t.Errorf("keys new --role %s printed %+v", role, entry)
		}
		if role == sign.Publishes {
			entry.Roles = append(entry.Roles, sign.Reports)
		}
		data, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		keys[role], entries = path+".key", append(entries, string(data))
	}
	trust = filepath.Join(dir, "trust.json")
	if err := os.WriteFile(trust, []byte(`{"keys":[`+strings.Join(entries, ",")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return keys, trust
}

// signedRegistry returns a registry with ohms_law and amps_volts, signed, with the keys and the trust file.
func signedRegistry(t *testing.T) (dir string, keys map[sign.Role]string, trust string) {
	t.Helper()
	keys, trust = signers(t, sign.Publishes, sign.Reviews, sign.Expert)
	dir = filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, "--sign", keys[sign.Publishes], filepath.Join(built.engines, "ohms_law"), filepath.Join(built.engines, "amps_volts"))
	return dir, keys, trust
}

// verifies runs verify and compares its exit code and its output.
func verifies(t *testing.T, code int, args []string, want ...string) string {
	t.Helper()
	r := slipstick(t.Context(), append([]string{"verify"}, args...)...)
	if r.code != code {
		t.Errorf("verify %v: exit %d, want %d\n%s%s", args, r.code, code, r.out, r.err)
	}
	for _, text := range want {
		if !strings.Contains(r.out+r.err, text) {
			t.Errorf("verify %v: no %q in\n%s%s", args, text, r.out, r.err)
		}
	}
	return r.out
}

func TestVerifyRegistry(t *testing.T) {
	t.Parallel()
	dir, keys, trust := signedRegistry(t)
	at := []string{"--registry", dir}
	strict := append([]string{"--trust", trust, "--require-signatures"}, at...)
	verifies(t, exitOK, strict, "holds      publisher's signature", "signed by publish (", "holds      tier                  engine_tested", " 0 fail")
	verifies(t, exitInternal, at, "unchecked  publisher's signature", "there is no trust file")

	does(t, "review", "ohms-law@1.0.1", "--registry", dir, "--key", keys[sign.Expert], "--reviewer", "Anna Meier", "--role", "electrical engineer",
		"--kind", "expert", "--source-checked", "IEC 60050-131; 2002; entry 131-11-21")
	verifies(t, exitOK, append([]string{"ohms-law@1.0.1"}, strict...),
		"expert, Anna Meier, electrical engineer, ", ", compared with IEC 60050-131, entry 131-11-21", "expert_verified, compared with its sources")
	if out := does(t, append([]string{"list", "--json"}, strict...)...); !strings.Contains(out, `"tier":"expert_verified"`) {
		t.Errorf("list: %s", out)
	}
	if out := does(t, append([]string{"list", "--json"}, at...)...); strings.Contains(out, "expert_verified") {
		t.Errorf("list without a trust file: %s", out)
	}

	// The key is unknown to users who trust no one else. This is not a failure of the release.
	stranger, _ := signers(t, sign.Reviews)
	does(t, "review", "ohms-law@1.0.1", "--registry", dir, "--key", stranger[sign.Reviews], "--reviewer", "X", "--role", "Y", "--kind", "internal")
	verifies(t, exitOK, strict, "ignored    review", "which the trust file does not have")

	var report struct {
		Findings []terminal.FindingText
		Count    map[audit.Outcome]int
	}
	if err := json.Unmarshal([]byte(verifies(t, exitOK, append([]string{"--json"}, strict...))), &report); err != nil || report.Count[audit.Holds] == 0 || len(report.Findings) < 10 {
		t.Errorf("%+v, %v", report, err)
	}
	replace(t, documentBlob(t, filepath.Join(dir, "electrical.basic.ohms_law")), []byte("changed"))
	verifies(t, exitFailed, strict, "fails      engine", "was changed or damaged", "electrical.convert.amps_volts 1.0.1\n  holds")
	verifies(t, exitFailed, append([]string{"ohms-law@9.0.0"}, strict...), "not published")
	if r := slipstick(t.Context(), "verify", "--require-signatures", "--registry", dir); r.code != exitMisuse || !strings.Contains(r.err, "--trust FILE") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

// If signatures are required, an unsigned release is refused with its reason and never executed. A release that is
// signed later is served without a restart.
func TestServeRequiresSignatures(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Publishes)
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, filepath.Join(built.engines, "ohms_law"))
	h := startServer(t, "--registry", dir, "--trust", trust, "--require-signatures", "--follow", "20ms")
	if status, answer := h.post(t, "/api/v1/calc/ohms-law", `{"V":12,"R":8}`); status != 503 || !strings.Contains(answer, "ENGINE_UNAVAILABLE") {
		t.Errorf("%d %s", status, answer)
	}
	if len(children(h.cmd.Process.Pid)) != 0 {
		t.Error("an engine runs that nobody has signed")
	}
	if _, state := h.get(t, "/readyz?verbose"); !strings.Contains(state, "not signed by a trusted key") {
		t.Errorf("readyz: %s", state)
	}
	if r := slipstick(t.Context(), "calc", "--registry", dir, "--trust", trust, "--require-signatures", "ohms-law", "V=12", "R=8"); r.code != exitInternal || !strings.Contains(r.err, "it is not signed") {
		t.Errorf("calc: %d %s", r.code, r.err)
	}
	does(t, "sign", "ohms-law@1.0.1", "--registry", dir, "--key", keys[sign.Publishes])
	h.awaitAt(t, "/api/v1/calc/ohms-law", `"tier":"candidate"`, `{"V":12,"R":8}`)

	// The report was not signed. A signed report may come later, and the tier changes then.
	report := write(t, "report.json", does(t, "check", "--json", filepath.Join(built.engines, "ohms_law")))
	does(t, "attach-report", "ohms-law@1.0.1", report, "--registry", dir, "--sign", keys[sign.Publishes])
	h.awaitAt(t, "/api/v1/calc/ohms-law", `"tier":"engine_tested"`, `{"V":12,"R":8}`)

	// An unsigned deprecation has no effect; a signed one does.
	does(t, "deprecate", "--registry", dir, "ohms-law", "1.0.1", "--reason", "by a stranger")
	does(t, "deprecate", "--registry", dir, "--sign", keys[sign.Publishes], "ohms-law", "1.0.1", "--reason", "by its publisher")
	if _, answer := h.awaitAt(t, "/api/v1/calc/ohms-law", "VERSION_DEPRECATED", `{"V":12,"R":8}`); !strings.Contains(answer, "by its publisher") {
		t.Errorf("%s", answer)
	}
}

// The URL in every answer shows the signed statements and their authors, for programs and people.
func TestEvidenceIsShown(t *testing.T) {
	t.Parallel()
	dir, keys, trust := signedRegistry(t)
	does(t, "review", "ohms-law@1.0.1", "--registry", dir, "--key", keys[sign.Reviews], "--reviewer", "Ben Oduya", "--role", "physicist",
		"--kind", "internal", "--source-checked", "IEC 60050-131; 2002; entry 131-11-21")
	h := startServer(t, "--registry", dir, "--trust", trust, "--require-signatures")
	_, answer := h.post(t, "/api/v1/calc/ohms-law", `{"V":12,"R":8}`)
	var linked struct {
		Links        struct{ Evidence string }
		Verification struct {
			Tier       string
			ReviewedBy string `json:"reviewed_by"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &linked); err != nil || linked.Verification.Tier != "internally_reviewed" || linked.Verification.ReviewedBy != "review" {
		t.Fatalf("%s %v", answer, err)
	}
	path := strings.TrimPrefix(linked.Links.Evidence, h.url)
	var shown struct {
		Statements []struct {
			Type      string
			Counts    bool
			Signature struct{ Key string }
		}
		Report struct {
			Vectors []struct {
				ID     string
				Passed bool
			} `json:"vector_results"`
		} `json:"conformance_report"`
		Engines map[string]string `json:"engine_digests"`
	}
	_, body := h.get(t, path)
	if err := json.Unmarshal([]byte(body), &shown); err != nil || len(shown.Statements) != 5 || len(shown.Report.Vectors) == 0 || len(shown.Engines) != 1 {
		t.Fatalf("%s %v", body, err)
	}
	for i, want := range []string{"release publish", "report publish", "source publish", "current publish", "review review"} {
		if s := shown.Statements[i]; s.Type+" "+s.Signature.Key != want || !s.Counts {
			t.Errorf("statement %d: %+v, want %s", i, s, want)
		}
	}
	for _, v := range shown.Report.Vectors {
		if !v.Passed || v.ID == "" {
			t.Errorf("vector %+v", v)
		}
	}
	page := h.page(t, path)
	for _, want := range []string{"Statements", "Ben Oduya, physicist", "IEC 60050-131, 2002, entry 131-11-21", "Publisher signature", "default version, by statement 1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestVerifySnapshot(t *testing.T) {
	t.Parallel()
	dir, _, trust := signedRegistry(t)
	data := t.TempDir()
	h := startServer(t, "--registry", dir, "--data", data, "--snapshots", "embedded")
	_, created := h.post(t, "/api/v1/share", `{"tool_id":"ohms-law","inputs":{"V":12,"R":{"value":8,"unit":"ohm"}}}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(created), &made); err != nil || made.ID == "" {
		t.Fatal(created, err)
	}
	_, body := h.get(t, "/s/"+made.ID)
	h.stop(t)
	args := func(target string, more ...string) []string {
		return append([]string{target, "--registry", dir, "--trust", trust, "--data", data}, more...)
	}
	file := write(t, "snapshot.json", body)
	for _, target := range []string{file, made.ID, "http://127.0.0.1:8080/s/" + made.ID} {
		verifies(t, exitOK, args(target, "--run"), "holds      record", "holds      snapshot signature", "holds      published release", "bit-identical", "holds      tier")
	}
	verifies(t, exitInternal, append(args(file), "--data", t.TempDir()), "unchecked  snapshot signature")

	changed := write(t, "changed.json", strings.Replace(body, `"current":1.5`, `"current":1.6`, 1))
	verifies(t, exitFailed, args(changed, "--run"), "fails      snapshot signature", "not the one that its id carries", "current is 1.5, and was 1.6 (by 0.063 of it, ")
	verifies(t, exitFailed, args(write(t, "spaced.json", strings.Replace(body, `,"inputs"`, `, "inputs"`, 1))), "not written as snapshots are")
	verifies(t, exitFailed, args(made.ID[:len(made.ID)-3]+"AAA"), "fails ")
	verifies(t, exitInternal, args("cx_"+strings.Repeat("a", 26)), "download the snapshot")

	other := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", other, filepath.Join(built.engines, "amps_volts"))
	verifies(t, exitFailed, []string{file, "--registry", other, "--data", data}, "is not published here")
}

// The command reports to a reviewer whether the review counts, and if not, why.
func TestReviewReportsWhetherItCounts(t *testing.T) {
	t.Parallel()
	dir, keys, trust := signedRegistry(t)
	stranger, _ := signers(t, sign.Reviews)
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"--key", keys[sign.Reviews]}, "Use --trust FILE to check a trust file"},
		{[]string{"--key", stranger[sign.Reviews], "--trust", trust}, "it does not count for servers with this trust file: it is signed by the key "},
		{[]string{"--key", keys[sign.Reviews], "--trust", trust}, "it counts, but does not raise the tier, because it has no --source-checked. The release is engine_tested"},
		{[]string{"--key", keys[sign.Reviews], "--trust", trust, "--source-checked", "IEC 60050-131; 2002; entry 131-11-21"}, "it counts: the release is internally_reviewed"},
	} {
		args := []string{"review", "ohms-law@1.0.1", "--registry", dir, "--reviewer", "A", "--role", "B", "--kind", "internal"}
		if r := slipstick(t.Context(), append(args, tt.args...)...); r.code != exitOK || !strings.Contains(r.err, tt.says) {
			t.Errorf("%v: %d %s\nwant %s", tt.args, r.code, r.err, tt.says)
		}
	}
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	dir, keys, trust := signedRegistry(t)
	next := filepath.Join(t.TempDir(), "next")
	does(t, "keys", "rotate", "--no-password", keys[sign.Publishes], next)
	does(t, "publish", "--to", dir, "--sign", next+".key", filepath.Join(built.engines, "watts_amps"))
	verifies(t, exitOK, []string{"--registry", dir, "--trust", trust, "--require-signatures"}, "signed by next (", "which replaced publish")
}

func TestKeysMisuse(t *testing.T) {
	t.Parallel()
	keys, trust := signers(t, sign.Reviews)
	review := func(args ...string) []string {
		return append([]string{"review", "ohms-law@1.0.1", "--registry", built.registry, "--key", keys[sign.Reviews]}, args...)
	}
	for _, tt := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{"keys", "new", filepath.Join(t.TempDir(), "a")}, exitMisuse, "SLIPSTICK_KEY_PASSWORD"},
		{[]string{"keys", "new", "--no-password", strings.TrimSuffix(keys[sign.Reviews], ".key")}, exitFailed, "not replaced"},
		{review(), exitMisuse, "--reviewer is missing"},
		{review("--reviewer", "A", "--role", "B", "--kind", "peer"), exitMisuse, "neither internal nor expert"},
		{review("--reviewer", "A", "--role", "B", "--kind", "internal", "--source-checked", "Roark"), exitMisuse, "reference; edition"},
		{review("--reviewer", "A", "--role", "B", "--kind", "internal", "--date", "2099-01-01"), exitFailed, "2099-01-01"},
		{review("--reviewer", "A", "--role", "B", "--kind", "internal", "--date", "1999-01-01"), exitFailed, "1999-01-01"},
		{[]string{"keys", "new", "--no-password", "--role", "boss", filepath.Join(t.TempDir(), "a")}, exitMisuse, `"boss"`},
		{[]string{"keys", "new", "--no-password", "--capabilities", "electrical*", filepath.Join(t.TempDir(), "a")}, exitMisuse, "electrical*"},
		{[]string{"sign", "ohms-law", "--key", keys[sign.Reviews]}, exitMisuse, "CAPABILITY@VERSION"},
		{[]string{"sign", "ohms-law@1.0.1", "--registry", built.registry, "--key", trust}, exitMisuse, "not a secret key"},
		{[]string{"list", "--registry", built.registry, "--trust", keys[sign.Reviews]}, exitMisuse, "trust file"},
	} {
		if r := slipstick(context.Background(), tt.args...); r.code != tt.code || !strings.Contains(r.err, tt.why) {
			t.Errorf("%v: %d %s, want %d and %q", tt.args, r.code, r.err, tt.code, tt.why)
		}
	}
}

// The environment provides the password of a key.
func TestKeyWithPassword(t *testing.T) {
	t.Setenv("SLIPSTICK_KEY_PASSWORD", "correct horse")
	dir := filepath.Join(t.TempDir(), "registry")
	key := filepath.Join(t.TempDir(), "key")
	does(t, "keys", "new", key)
	does(t, "publish", "--to", dir, "--sign", key+".key", filepath.Join(built.engines, "ohms_law"))
	t.Setenv("SLIPSTICK_KEY_PASSWORD", "wrong")
	if r := slipstick(t.Context(), "sign", "ohms-law@1.0.1", "--registry", dir, "--key", key+".key"); r.code != exitMisuse || !strings.Contains(r.err, "password is wrong") {
		t.Errorf("%d %s", r.code, r.err)
	}
}
