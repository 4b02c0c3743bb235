package openapi

import (
	"maps"
	"slices"
)

// Unreached returns the places with a description that no document contains.
func Unreached() []string {
	d := &document{schemas: object{}, places: map[string]bool{}}
	d.addDocuments()
	known := slices.Concat(slices.Collect(maps.Keys(descriptions)), slices.Collect(maps.Keys(narrowerSchemas)))
	return slices.DeleteFunc(known, func(place string) bool { return d.places[place] })
}
