package requirements

// Example has the texts of the example that a new engine begins with, in whatever language it is
// written. The rule texts-own finds them where they were left in place.
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
