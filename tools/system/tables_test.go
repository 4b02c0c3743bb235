package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tableDir returns a directory with a copy of the table of metals, with the texts replaced.
func tableDir(t *testing.T, replacements ...string) string {
	t.Helper()
	dir := t.TempDir()
	replace := strings.NewReplacer(replacements...)
	for _, name := range []string{"table.json", "rows.csv"} {
		data, err := os.ReadFile(filepath.Join(root, "plugins", "tables", "metals", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(replace.Replace(string(data))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A table passes through the same commands as an engine.
func TestTableCommands(t *testing.T) {
	t.Parallel()
	registry := filepath.Join(t.TempDir(), "registry")
	good := tableDir(t)
	wrong := tableDir(t, "210[ec3],81[ec3]", "210[ec3],91[ec3]")
	sneaky := tableDir(t, `"table_version": "1.0.0"`, `"table_version": "1.0.1"`, ",235[ec3]", ",240[ec3]")
	silent := tableDir(t, `"table_version": "1.0.0"`, `"table_version": "2.0.0"`, ",235[ec3]", ",240[ec3]")
	major := tableDir(t, `"table_version": "1.0.0"`, `"table_version": "2.0.0", "changes": "S235 yields later."`, ",235[ec3]", ",240[ec3]")
	lock := filepath.Join(t.TempDir(), "lock")
	for _, tt := range []struct {
		args      []string
		code      int
		out, errs string
	}{
		{[]string{"check", good}, exitOK, "sources differ: S355: tensile_strength is 510 by ec3 and 470 by en10025 MPa", ""},
		{[]string{"check", "--json", good}, exitOK, `"passed":true,"rows":14`, ""},
		{[]string{"check", wrong}, exitFailed, "S235: shear_modulus is 91 GPa, and its formula gives 80.76923", "failed: 1 of 1 table"},
		{[]string{"check", "--format", "badge", good}, exitMisuse, "", "text or json"},
		{[]string{"publish", "--to", registry, good}, exitOK, "published data.materials.metals 1.0.0", ""},
		{[]string{"publish", "--to", registry, wrong}, exitFailed, "", "its table values are not sound"},
		{[]string{"publish", "--to", registry, sneaky}, exitFailed, "", "needs a major bump, to 2.0.0"},
		{[]string{"publish", "--to", registry, t.TempDir()}, exitMisuse, "", "Go source and table.json"},
		{[]string{"diff", "--registry", registry, "data.materials.metals", major}, exitOK, "major: S235: yield_strength is 240, and was 235", ""},
		{[]string{"diff", good, sneaky}, exitFailed, "needs a major bump", "not a legal version"},
		{[]string{"publish", "--to", registry, silent}, exitFailed, "", "CHANGES_MISSING"},
		{[]string{"publish", "--to", registry, major}, exitOK, "published data.materials.metals 2.0.0", ""},
		{[]string{"list", "--registry", registry}, exitOK, "data.materials.metals", ""},
		{[]string{"lock", "--registry", registry, "--output", lock}, exitOK, "locked 2 versions", ""},
		{[]string{"yank", "--registry", registry, "data.materials.metals", "2.0.0", "--reason", "for the test"}, exitOK, "current data.materials.metals 1.0.0", ""},
		{[]string{"verify", "--registry", registry, "data.materials.metals"}, exitOK, "", ""},
	} {
		r := slipstick(t.Context(), tt.args...)
		if r.code != tt.code || !strings.Contains(r.out, tt.out) || !strings.Contains(r.err, tt.errs) {
			t.Errorf("%s: %d, want %d with %q and %q\n%s\n%s", strings.Join(tt.args, " "), r.code, tt.code, tt.out, tt.errs, r.out, r.err)
		}
	}
}
