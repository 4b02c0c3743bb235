package documents

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

var update = flag.Bool("update", false, "add the new versions to the lock file")

const lockFile = "../../documents.lock"

// binary64 has the documents that compute with the binary64 numbers nearest to their inputs, with the reason. All others
// compute with the decimals that callers write.
var binary64 = map[string]string{
	"electrical.basic.ohms_law":                                              products,
	"electrical.circuits.parallel_resistance":                                "it adds numbers that are not negative, so nothing cancels",
	"electrical.circuits.rlc_series_resonance":                               products,
	"electrical.circuits.voltage_divider":                                    "it adds numbers that are not negative, so nothing cancels",
	"electrical.convert.amps_volts":                                          products,
	"electrical.convert.kva_amps":                                            products,
	"electrical.convert.watts_amps":                                          products,
	"electrical.energy.kwh":                                                  products,
	"fluids.open_channel.manning":                                            products,
	"fluids.pipe.friction_factor":                                            "its conditions compare inputs with constants, which decimals do not change",
	"mechanical.sections.polygon":                                            "corners with many digits take too much work as decimals",
	"mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection": "it has the bits of its engine in Go",
	"thermo.gas.ideal_gas":                                                   products,
	"units.convert.angle":                                                    products,
	"units.convert.area":                                                     products,
	"units.convert.energy":                                                   products,
	"units.convert.force":                                                    products,
	"units.convert.length":                                                   products,
	"units.convert.line_load":                                                products,
	"units.convert.mass":                                                     products,
	"units.convert.power":                                                    products,
	"units.convert.pressure":                                                 products,
	"units.convert.second_moment_of_area":                                    products,
	"units.convert.speed":                                                    products,
	"units.convert.torque":                                                   products,
	"units.convert.volume":                                                   products,
}

const products = "it multiplies, divides and takes roots: no difference cancels, and no condition compares computed numbers"

// The current version of a document computes with decimals, or it has a reason not to.
func TestBinary64HasReason(t *testing.T) {
	for _, file := range current(t) {
		_, e := read(t, file)
		spec := e.Spec()
		if usesBinary64 := spec.Evaluation != sdk.DecimalInputs; usesBinary64 != (binary64[spec.Capability] != "") {
			t.Errorf("%s has the evaluation %q, and the reason for binary64 is %q", spec.Capability, spec.Evaluation, binary64[spec.Capability])
		}
	}
}

// A pinned version is the same document forever. So the lock file has the digest of each version, and a document
// that changed needs a new version. This adds the new versions:
//
//	go test ./internal/documents -run TestLock -args -update
func TestLock(t *testing.T) {
	locked := map[string]string{}
	content, err := os.ReadFile(lockFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		locked[name] = digest
	}
	isNew := false
	for _, file := range published(t) {
		source, e := read(t, file)
		spec := e.Spec()
		_, err = os.Stat(filepath.Join(strings.TrimSuffix(file, ".calc.md"), "main.go"))
		if err == nil {
			continue // the engine in Go is published
		}
		name, digest := spec.Capability+"@"+spec.Version, fmt.Sprintf("sha256:%x", sha256.Sum256(source))
		switch before := locked[name]; {
		case before == "" && *update:
			locked[name], isNew = digest, true
		case before == "":
			t.Errorf("%s is not in documents.lock: run this test with -args -update", name)
		case before != digest:
			t.Errorf("%s changed: give it a new version, or restore the document of %s", file, name)
		}
	}
	if !isNew {
		return
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(locked)) {
		fmt.Fprintln(&lines, name, locked[name])
	}
	err = os.WriteFile(lockFile, []byte(lines.String()), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}
