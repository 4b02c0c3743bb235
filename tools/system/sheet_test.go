package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document of steps is one program with one answer. It follows the states of its steps within seconds, and stored
// answers stay the same.
func TestDocumentOfSteps(t *testing.T) {
	busy(t)
	const (
		wall, surface = "thermo.conduction.plane_wall", "thermo.air.dew_point"
		sheet         = "thermo.air.wall_condensation"
		path          = "/api/v1/calc/wall-condensation"
		inputs        = `{"inside_temperature":293.15,"relative_humidity":0.5,"outside_temperature":268.15,"layers":[{"thickness":0.24,"conductivity":0.6}]}`
	)
	dir, thermo := t.TempDir(), filepath.Join(root, "plugins", "thermo")
	registry, file := filepath.Join(dir, "registry"), filepath.Join(dir, "wall_condensation.calc.md")
	source, err := os.ReadFile(filepath.Join(thermo, "air", "wall_condensation.calc.md"))
	if err != nil {
		t.Fatal(err)
	}
	const oracle = "plugins/internal/oracle/oracle.py" // the source of vectors
	err = os.CopyFS(filepath.Join(dir, filepath.Dir(oracle)), os.DirFS(filepath.Join(root, filepath.Dir(oracle))))
	if err != nil {
		t.Fatal(err)
	}
	used := wall + "@" + versionIn(t, filepath.Join(thermo, "conduction", "plane_wall.calc.md"))
	lines := strings.Split(string(source), "\n")
	for i, line := range lines {
		if at := strings.Index(line, " sha256:"); at > 0 {
			lines[i] = line[:at]
		}
	}
	writeDocument(t, file, strings.Join(lines, "\n"))

	// Digests and texts of steps come from the registry, and only what is published can be called.
	if r := slipstick(t.Context(), "fmt", "--registry", built.registry, file); r.code != exitFailed || !strings.Contains(r.err, strings.Replace(used, "@", " ", 1)+" is not published in this registry") {
		t.Errorf("fmt without the steps: %d %s%s", r.code, r.out, r.err)
	}
	does(t, "publish", "--to", registry, filepath.Join(root, "plugins", "tables", "metals"),
		filepath.Join(thermo, "conduction", "plane_wall.calc.md"), filepath.Join(thermo, "air", "dew_point.calc.md"))
	does(t, "fmt", "--registry", registry, file)
	formatted, err := os.ReadFile(file)
	if err != nil || string(formatted) != string(source) {
		t.Errorf("fmt wrote\n%s%v", formatted, err)
	}
	if r := slipstick(t.Context(), "publish", "--to", filepath.Join(dir, "other"), file); r.code != exitFailed || !strings.Contains(r.err, "publish it first") {
		t.Errorf("publish without the steps: %d %s%s", r.code, r.out, r.err)
	}
	if out := does(t, "publish", "--to", registry, file); !strings.Contains(out, "steps: 623, all bit-identical to the published calculations") {
		t.Errorf("publish: %s", out)
	}
	if out := does(t, "list", "--registry", registry, "--uses", used); !strings.Contains(out, sheet) {
		t.Errorf("list --uses: %s", out)
	}
	locked := filepath.Join(dir, "slipstick.lock")
	does(t, "lock", "--registry", registry, "--output", locked, "wall-condensation")
	if text, err := os.ReadFile(locked); err != nil || !strings.Contains(string(text), wall) || !strings.Contains(string(text), surface) {
		t.Errorf("the lock file is %s, %v", text, err)
	}
	does(t, "rebuild", "--registry", registry, sheet+"@"+versionIn(t, file), "--source", dir)

	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--follow", "50ms"})
	status, answer := h.post(t, path, inputs)
	if status != 200 || resultOf(t, answer)["utilization"] != 1.1175472774928576 || !strings.Contains(answer, `"detail":"Step air, Dew point and condensation on a wall: The relative humidity`) {
		t.Fatalf("%d %s", status, answer)
	}
	// Each step gives the bits that it gives alone.
	status, alone := h.post(t, "/api/v1/calc/wall-heat-loss", `{"temperature_hot":293.15,"temperature_cold":268.15,"layers":[{"thickness":0.24,"conductivity":0.6}],"film_hot":7.6923076923076925,"film_cold":25}`)
	if status != 200 || resultOf(t, alone)["u_value"] != resultOf(t, answer)["u_value"] {
		t.Errorf("%d %s, and in the chain %s", status, alone, answer)
	}
	status, answer = h.post(t, path, strings.Replace(inputs, `[{"thickness":0.24,"conductivity":0.6}]`, "[]", 1))
	if status != 400 || !strings.Contains(answer, `"code":"TOO_FEW_LAYERS"`) || !strings.Contains(answer, `"field":"layers"`) || !strings.Contains(answer, "step cold, ") {
		t.Errorf("%d %s", status, answer)
	}
	_, batch := h.post(t, "/api/v1/batch?output=attributed", `{"id":"wall-condensation","inputs":`+inputs+`}`+"\n", "Content-Type", "application/x-ndjson")
	status, snapshot := h.post(t, "/api/v1/share", `{"id":"wall-condensation","inputs":`+inputs+`}`)
	if status != 200 && status != 201 {
		t.Fatalf("%d %s", status, snapshot)
	}
	stored := filepath.Join(dir, "answers.ndjson")
	writeDocument(t, stored, batch+strings.TrimSpace(snapshot)+"\n")

	// Newer versions of the steps change nothing, and the states of the steps count.
	steps := map[string]string{} // versions
	for _, step := range []string{"conduction/plane_wall", "air/dew_point"} {
		published := filepath.Join(thermo, step+".calc.md")
		text, err := os.ReadFile(published)
		if err != nil {
			t.Fatal(err)
		}
		steps[step] = versionIn(t, published)
		newer := filepath.Join(dir, filepath.Base(step)+".calc.md")
		writeDocument(t, newer, strings.Replace(string(text), "- version: "+steps[step], "- version: "+steps[step]+"9", 1))
		does(t, "publish", "--to", registry, newer)
	}
	does(t, "yank", "--registry", registry, surface, steps["air/dew_point"], "--reason", "rounded values")
	awaitAnswer(t, h, path, inputs, 200, "its step "+surface+" "+steps["air/dew_point"]+" is yanked")
	if out := does(t, "replay", "--registry", registry, stored); !strings.Contains(out, "2 bit-identical, 0 different, 0 not computed") {
		t.Errorf("replay: %s", out)
	}
	does(t, "revoke", "--registry", registry, wall, steps["conduction/plane_wall"], "--reason", "a value is wrong")
	awaitAnswer(t, h, path, inputs, 409, "its step "+wall+" "+steps["conduction/plane_wall"]+" is revoked: a value is wrong")
}

// versionIn returns the version of a document.
func versionIn(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n- version: ")
	version, _, _ := strings.Cut(rest, "\n")
	if !found {
		t.Fatal(file, "has no version")
	}
	return version
}

// dev serves a document of steps without its steps in a registry.
func TestDevWithSteps(t *testing.T) {
	busy(t)
	devAnswers(t, filepath.Join(root, "plugins", "thermo", "air", "wall_condensation.calc.md"), "/api/v1/calc/wall-condensation",
		`{"inside_temperature":293.15,"relative_humidity":0.5,"outside_temperature":268.15,"layers":[{"thickness":0.24,"conductivity":0.6}]}`, `"verdict":"fail"`)
}
