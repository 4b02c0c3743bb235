package requirements

// Example has the texts of the example from which a new engine starts, in every language. The
// rule texts-own finds them if the author did not replace them.
var Example = struct {
	Summary    string
	Keywords   []string
	Assumption string
	Reference  string // its title
	Formula    string // its id
}{
	Summary:    "The area of a rectangle from its width and height.",
	Keywords:   []string{"surface", "floor space"},
	Assumption: "The corners are right angles.",
	Reference:  "Euclid, Elements",
	Formula:    "rectangle_area_v1",
}
