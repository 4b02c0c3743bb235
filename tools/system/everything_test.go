package system

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/sdk"
)

// The example engine uses every member of a Spec, conforms, and compiles in the module of an author.
func TestEverythingOnce(t *testing.T) {
	busy(t)
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	a := newAuthor(t)
	a.types(t, []string{
		"$ slipstick new examples.building.wall_heat_loss > /dev/null",
		"$ cd wall_heat_loss",
		"$ cp " + checkout + "/docs/examples/everything/* .",
		`$ test -z "$(gofmt -l .)"`,
		"$ go vet . && go build -o engine .",
	})
	program := filepath.Join(a.dir, "engine")
	if out := does(t, "check", program); !strings.Contains(out, " 0 failed, ") || !strings.Contains(out, "coverage 35 of 35") {
		t.Errorf("check:\n%s", out)
	}
	engine, end, err := publish.FromFile(t.Context(), program, process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	seen, used := map[string]bool{}, map[string]bool{}
	look(reflect.ValueOf(engine.Spec), seen, used)
	without := []string{"Spec.document", "Spec.evaluation", "Spec.tables", "Spec.uses", "Field.shown_unit", // of documents alone
		"Spec.read_only_paths", "Spec.verification", "Formula.symbols", "Limit.maximum", "Range.minimum_input", "Range.maximum_excluded", "Plot.down"}
	for member := range seen {
		if used[member] == slices.Contains(without, member) {
			t.Errorf("%s: used is %t", member, used[member])
		}
	}
}

// look records the members of the structs of the Spec, as Type.member, and the members that are not empty.
func look(v reflect.Value, seen, used map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			look(v.Elem(), seen, used)
		}
	case reflect.Slice:
		for i := range v.Len() {
			look(v.Index(i), seen, used)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[sdk.Spec]().PkgPath() {
			return
		}
		for f, value := range v.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if member := v.Type().Name() + "." + name; name != "" && name != "-" {
				seen[member] = true
				used[member] = used[member] || !value.IsZero()
			}
			look(value, seen, used)
		}
	}
}
