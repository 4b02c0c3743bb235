package tables_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/conformance/tables"
	"github.com/slipstick/slipstick/sdk/preset"
)

// The tables of this repository are sound, and have at least the promised content.
func TestTablesOfTheRepository(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "..", "plugins", "tables", "*"))
	if err != nil || len(dirs) < 10 {
		t.Fatalf("%d tables, %v", len(dirs), err)
	}
	rows, ids := map[string]int{}, map[string]bool{}
	for _, dir := range dirs {
		table := read(t, dir)
		if id := table.ID + "@" + table.Version; ids[id] {
			t.Errorf("%s: two tables are %s", dir, id)
		} else {
			ids[id] = true
		}
		rows[strings.Split(table.ID, ".")[1]] += len(table.Rows)
		for _, err := range tables.Judge(table).Errs {
			t.Errorf("%s: %v", table.ID, err)
		}
		if string(table.CSV()) != file(t, filepath.Join(dir, "rows.csv")) {
			t.Errorf("%s: rows.csv is not in its canonical form", table.ID)
		}
	}
	for domain, least := range map[string]int{"materials": 6, "sections": 30, "pipes": 20, "wires": 20, "fluids": 2} {
		if rows[domain] < least {
			t.Errorf("%d rows of %s, want %d", rows[domain], domain, least)
		}
	}
}

const spec = `{"table_format":1,"table_id":"data.test.bars","table_version":"VERSION","title":"Bars","summary":"Bars for tests.","noun":"bar",
"columns":[{"name":"diameter","label":"Diameter","unit":"mm","symbol":"d","source":"a"},
{"name":"area","label":"Area","unit":"cm2","symbol":"A","source":"a"},
{"name":"second_moment","label":"Second moment","unit":"mm4","symbol":"I","source":"a","significant":3}],
"definition":"A = pi*d^2/4\nI = pi*d^4/64","sources":[{"id":"a","title":"Handbook A"},{"id":"b","title":"Handbook B"}]}`

const rows = "key,name,diameter,area,second_moment\nR8,Bar 8,8,0.503,201\nR10,Bar 10,10,0.785|0.79[b],491\nR40,Bar 40,40,12.57,126000\nR99,Bar 99,99,,\n"

func table(t *testing.T, version, rows string) *preset.Table {
	t.Helper()
	parsed, err := preset.Parse([]byte(strings.Replace(spec, "VERSION", version, 1)), []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestJudge(t *testing.T) {
	r := tables.Judge(table(t, "1.0.0", rows))
	if !r.Passed() || r.Checked != 6 {
		t.Errorf("%d figures checked, %v", r.Checked, r.Errs)
	}
	if len(r.Differences) != 1 || r.Differences[0].Row != "R10" || r.Differences[0].Other != "0.79" {
		t.Errorf("differences: %v", r.Differences)
	}
	for _, tt := range []struct{ from, to, want string }{
		{"0.503", "0.504", "R8: area is 0.504 cm2, and its formula gives 0.5026548"},
		{"126000", "127000", "R40: second_moment is 127000"},
		{"0.79[b]", "0.79[a]", "two values of the source a"},
	} {
		r := tables.Judge(table(t, "1.0.0", strings.Replace(rows, tt.from, tt.to, 1)))
		if r.Passed() || !strings.Contains(r.Err().Error(), tt.want) {
			t.Errorf("%s for %s: %v, want %q", tt.to, tt.from, r.Err(), tt.want)
		}
	}
	wrong := strings.Replace(strings.Replace(spec, "VERSION", "1.0.0", 1), "pi*d^2/4", "pi*d^3/4", 1)
	parsed, err := preset.Parse([]byte(wrong), []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	if r := tables.Judge(parsed); r.Passed() {
		t.Error("an area in cubic metres passed")
	}
}

func TestDiff(t *testing.T) {
	for _, tt := range []struct {
		name, version, from, to string
		needed                  compat.Bump
		legal                   bool
	}{
		{"nothing", "1.0.1", "", "", compat.Patch, true},
		{"another name", "1.0.1", "Bar 8", "Round 8", compat.Patch, true},
		{"another source", "1.0.1", "0.503", "0.503[b]", compat.Patch, true},
		{"a new row in a patch", "1.0.1", "R99,", "R9,Bar 9,9,0.636,322\nR99,", compat.Minor, false},
		{"a new row", "1.1.0", "R99,", "R9,Bar 9,9,0.636,322\nR99,", compat.Minor, true},
		{"a new figure", "1.1.0", "R99,Bar 99,99,,", "R99,Bar 99,99,76.98,", compat.Minor, true},
		{"a changed figure", "1.1.0", "0.503", "0.5027", compat.Major, false},
		{"a changed figure in a major version", "2.0.0", "0.503", "0.5027", compat.Major, true},
		{"a row that is gone", "1.1.0", "R99,Bar 99,99,,\n", "", compat.Major, false},
		{"the same version", "1.0.0", "", "", compat.Patch, false},
	} {
		changed := rows
		if tt.from != "" {
			changed = strings.Replace(rows, tt.from, tt.to, 1)
			if changed == rows {
				t.Fatalf("%s: nothing was changed", tt.name)
			}
		}
		c, err := tables.Diff(table(t, "1.0.0", rows), table(t, tt.version, changed))
		if err != nil || c.Needed != tt.needed || c.Legal != tt.legal {
			t.Errorf("%s: %+v, %v; want a %v bump, legal: %v", tt.name, c, err, tt.needed, tt.legal)
		}
	}
}
