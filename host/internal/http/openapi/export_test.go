package openapi

import (
	"maps"
	"slices"
)

// Unreached are the places that there is something to say of and that no document has.
func Unreached() []string {
	d := &document{schemas: object{}, places: map[string]bool{}}
	d.addDocuments()
	known := slices.Concat(slices.Collect(maps.Keys(descriptions)), slices.Collect(maps.Keys(narrowerSchemas)))
	return slices.DeleteFunc(known, func(place string) bool { return d.places[place] })
}
