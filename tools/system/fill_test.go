package system

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

const beam = "length=4&elastic_modulus=2.1e11&second_moment_of_area=1e-5&"

// filled maps each calculator with fields that take table rows to a calculation.
var filled = map[string][]string{
	"axial-member":                     {"axial_force=1e4&length=2&area=5e-4&elastic_modulus=2e11"},
	"bernoulli":                        {"density=1000&pressure_1=2e5&velocity_1=1&velocity_2=2&elevation_1=0&elevation_2=1"},
	"cable-sizing":                     {"circuit=dc&voltage=24&design_current=10&device_rating=16&length=10&temperature_coefficient=4e-3&cables=2.5e-6+20+7.4e-3"},
	"cantilever-deflection":            {beam + "triangle_peak_load=1000"},
	"cantilever-point-load":            {beam + "point_load=1000"},
	"circular-section":                 {"outer_diameter=0.1&inner_diameter=0.08"},
	"circular-shaft":                   {"outer_diameter=0.1&inner_diameter=0.08&length=1&shear_modulus=8e10&torque=500", "outer_diameter=0.1&inner_diameter=0.08&length=1&shear_modulus=8e10&power=7457&rotational_speed=183"},
	"concrete-rectangular-bending":     {"moment=5e4&width=0.3&effective_depth=0.5&concrete_strength=25e6"},
	"conductor-resistance":             {"length=100&area=2.5e-6"},
	"elastic-constants":                {"elastic_modulus=2e11&poissons_ratio=0.3", "elastic_modulus=2e11&bulk_modulus=1.7e11", "bulk_modulus=1.7e11&poissons_ratio=0.3"},
	"euler-johnson-column":             {"length=3&elastic_modulus=2e11&area=1e-3&second_moment_of_area=1e-6&yield_strength=2.5e8"},
	"fixed-fixed-point-load":           {beam + "point_load=1000"},
	"fixed-fixed-uniform-load":         {beam + "uniform_load=1000"},
	"helical-compression-spring":       {"wire_diameter=0.003&mean_coil_diameter=0.03&active_coils=8&shear_modulus=8e10&force=50"},
	"i-section":                        {"depth=0.2&flange_width=0.1&flange_thickness=0.01&web_thickness=0.006"},
	"npsh-available":                   {"vapour_pressure=2340&density=998&static_head=2&npsh_required=3"},
	"orifice-plate":                    {"pipe_diameter=0.1&orifice_diameter=0.003&differential_pressure=5e6&density=998&dynamic_viscosity=1e-5&taps=corner"},
	"partially-full-pipe":              {"diameter=0.5&roughness_n=0.013&slope=0.01&depth=0.001"},
	"pipe-by-pressure-loss":            {"volumetric_flow=0.003&density=998&dynamic_viscosity=1e-3&length=100&pressure_loss_limit=5e4&roughness=1e-5"},
	"pipe-heat-loss":                   {"inner_diameter=0.05&length=2&layers=0.003+50&temperature_inner=373&temperature_outer=293"},
	"pipe-pressure-drop":               {"density=1000&dynamic_viscosity=1e-3&diameter=0.5&length=100&velocity=1&roughness=1e-5"},
	"pipe-sizing":                      {"volumetric_flow=0.003&density=998&dynamic_viscosity=1e-3&length=100&pressure_loss_limit=5e4&roughness=1e-5&pipes=0.1"},
	"propped-cantilever-point-load":    {beam + "point_load=1000"},
	"propped-cantilever-uniform-load":  {beam + "uniform_load=1000"},
	"reynolds-number":                  {"velocity=1&characteristic_length=0.1&density=1000&dynamic_viscosity=1e-3", "velocity=1&characteristic_length=0.1&kinematic_viscosity=1e-6"},
	"simply-supported-point-load":      {beam + "point_load=1000"},
	"simply-supported-triangular-load": {beam + "triangle_peak_load=1000"},
	"simply-supported-uniform-load":    {beam + "uniform_load=1000"},
	"steel-bolt":                       {"force=5e4&size=M20&hole_diameter=0.022&thickness=0.01&tensile_strength=360e6&end_distance=0.04&edge_distance=0.03"},
	"steel-compression":                {"axial_force=1e4&area=1e-3&second_moment_y=1e-6&second_moment_z=1e-6&buckling_length_y=2&buckling_length_z=2&yield_strength=235e6&buckling_curve_y=a&buckling_curve_z=b"},
	"steel-fillet-weld":                {"force=1e4&throat_thickness=0.004&length=0.1&steel_grade=S235&tensile_strength=360e6"},
	"steel-lateral-torsional-buckling": {"moment=1e3&section_modulus=1e-4&yield_strength=235e6&method=general&buckling_curve=b&length=3&second_moment_z=1e-6&torsion_constant=1e-8&warping_constant=1e-9"},
	"steel-shear":                      {"shear_force=1e4&yield_strength=235e6&section=rolled_i&area=1e-3&height=0.2&width=0.02&flange_thickness=0.001&web_thickness=0.006&root_radius=0.01"},
	"steel-tension":                    {"axial_force=1e4&area=1e-3&net_area=1e-4&yield_strength=235e6&tensile_strength=360e6"},
	"timber-beam":                      {"width=0.09&height=0.22&span=3&permanent_load=1000&variable_load=1000&load_duration=medium&bending_strength=24e6&shear_strength=4e6&elastic_modulus=11e9&shear_modulus=0.69e9&quasi_permanent_factor=0.3&limit_instantaneous=300&limit_final=200&effective_length=3&elastic_modulus_05=7.4e9"},
	"voltage-drop": {
		"circuit=dc&current=16&length=30&source_voltage=120&resistance_per_length=0.005",
		"circuit=dc&current=16&length=30&source_voltage=120&resistivity=1.7e-8&area=4e-6",
	},
}

// tableRow is a table row by the name that users call it, with the columns that have a value.
type tableRow struct {
	name    string
	columns map[string]bool
}

// ends returns the first and the last row of a table.
func (h *server) ends(t *testing.T, id string) []tableRow {
	t.Helper()
	var table struct {
		Title         string
		Interpolation struct{ Argument string }
		Columns       []struct{ Name, Unit string }
		Rows          []struct {
			Row     string
			Figures map[string]struct{ Value string }
		}
	}
	h.getJSON(t, "/api/v1/tables/"+id, &table)
	var list []tableRow
	for _, i := range []int{0, len(table.Rows) - 1} {
		row := tableRow{strings.ToLower(table.Rows[i].Row), map[string]bool{}}
		for _, c := range table.Columns {
			value := table.Rows[i].Figures[c.Name].Value
			row.columns[id+"#"+c.Name] = value != ""
			if c.Name == table.Interpolation.Argument {
				row.name = table.Title + " at " + value + " " + c.Unit
			}
		}
		list = append(list, row)
	}
	return list
}

// checkFill omits from each calculation the inputs that a table row provides, and fills the form from that row.
// The result must appear, also if a row provides inputs that replace each other.
func (h *server) checkFill(t *testing.T) {
	var catalog struct{ Capabilities []struct{ Tool string } }
	h.getJSON(t, "/api/v1/calc", &catalog)
	var tools []string
	for _, c := range catalog.Capabilities {
		var described struct{ Spec sdk.Spec }
		h.getJSON(t, "/api/v1/calc/"+c.Tool, &described)
		tables := map[string]bool{}
		for _, f := range described.Spec.Inputs {
			for _, column := range f.Presets {
				table, _, _ := strings.Cut(column, "#")
				tables[table] = true
			}
		}
		if len(tables) > 0 {
			tools = append(tools, c.Tool)
		}
		for _, query := range filled[c.Tool] {
			for table := range tables {
				for _, row := range h.ends(t, table) {
					h.checkFilled(t, &described.Spec, query, row)
				}
			}
		}
	}
	slices.Sort(tools)
	if !slices.Equal(tools, slices.Sorted(maps.Keys(filled))) {
		t.Errorf("calculators that take rows: %q, and calculations of %q", tools, slices.Sorted(maps.Keys(filled)))
	}
}

// checkFilled fills the form of a calculation from a row.
func (h *server) checkFilled(t *testing.T, spec *sdk.Spec, query string, row tableRow) {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	gives := false
	for i := range spec.Inputs {
		if f := &spec.Inputs[i]; slices.ContainsFunc(f.Presets, func(column string) bool { return row.columns[column] }) {
			values.Del(f.Name)
			gives = true
		}
	}
	if !gives {
		return // the row has none of these values; steel, for example, has no resistivity
	}
	values.Set("fill", row.name)
	address := "/calc/" + spec.Group + "/" + spec.Tool + "?" + values.Encode()
	if _, html := h.get(t, address); !strings.Contains(html, `id="calculatorx-result"`) {
		t.Errorf("%s: no result: %q", address, errorsIn(html))
	}
}

// errorsIn returns the errors that a page shows at its fields.
func errorsIn(html string) (list []string) {
	for _, part := range strings.Split(html, `<p class="error" id="e-`)[1:] {
		if text, _, _ := strings.Cut(part, "</p>"); !strings.Contains(text, " hidden") {
			list = append(list, text)
		}
	}
	return list
}
