package openapi

import (
	"cmp"
	"reflect"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// documents maps the names of component schemas to the Go types that are sent as JSON. Members are read from
// the types, so a new member of a type appears in the document.
var documents = map[string]reflect.Type{
	"Catalog":           reflect.TypeFor[catalog.Listing](),
	"CapabilitySummary": reflect.TypeFor[catalog.Summary](),
	"PublishedVersion":  reflect.TypeFor[catalog.Version](),
	"Capability":        reflect.TypeFor[catalog.Description](),
	"Evidence":          reflect.TypeFor[catalog.EvidenceDocument](),
	"Statement":         reflect.TypeFor[catalog.Evidence](),
	"Units":             reflect.TypeFor[catalog.UnitListing](),
	"QuantityUnits":     reflect.TypeFor[catalog.QuantityUnits](),
	"Unit":              reflect.TypeFor[catalog.UnitSummary](),
	"UnitSpelling":      reflect.TypeFor[catalog.UnitSpelling](),
	"Tables":            reflect.TypeFor[catalog.TableListing](),
	"TableSummary":      reflect.TypeFor[catalog.TableSummary](),
	"Table":             reflect.TypeFor[catalog.TableDocument](),
	"TableFigure":       reflect.TypeFor[catalog.TableFigure](),
	"HostKeys":          reflect.TypeFor[hostkeys.Document](),
	"HostKey":           reflect.TypeFor[hostkeys.Key](),
	"ProblemType":       reflect.TypeFor[problem.Doc](),
	"Receipt":           reflect.TypeFor[ledger.Proof](),
	"Shadow":            reflect.TypeFor[shadow.Report](),
	"ShadowComparison":  reflect.TypeFor[shadow.Comparison](),
	"ShadowRelease":     reflect.TypeFor[shadow.Release](),
	"ShadowOutput":      reflect.TypeFor[shadow.Output](),
	"ShadowExample":     reflect.TypeFor[shadow.Example](),
	"StudyResult":       reflect.TypeFor[study.Result](),
	"Readiness":         reflect.TypeFor[api.Readiness](),
	"ReadinessReason":   reflect.TypeFor[api.Reason](),
	"Spec":              reflect.TypeFor[sdk.Spec](),
	"Field":             reflect.TypeFor[sdk.Field](),
	"Axis":              reflect.TypeFor[sdk.Axis](),
}

// components maps types to the names of their component schemas.
var components = func() map[reflect.Type]string {
	names := map[reflect.Type]string{reflect.TypeFor[verification.Record](): "Verification"}
	for name, t := range documents {
		names[t] = name
	}
	return names
}()

// addDocuments adds the component schemas of the documents.
func (d *document) addDocuments() {
	for name, t := range documents {
		d.schemas[name] = d.withDescription(name, d.structSchema(name, t))
	}
}

// withDescription adds the description of a place: a component, a member (component.member), or a member of a
// member (member.member).
func (d *document) withDescription(place string, schema object) object {
	d.places[place] = true
	if text, ok := descriptions[place]; ok {
		return described(schema, text)
	}
	return schema
}

// structSchema returns the schema of objects with exactly the members of the struct.
func (d *document) structSchema(name string, t reflect.Type) object {
	properties := object{}
	optional := d.addMembers(properties, name, t)
	schema := closed("", properties, optional...)
	delete(schema, "description")
	return schema
}

// addMembers adds the members of the struct, and returns the optional ones.
func (d *document) addMembers(properties object, name string, t reflect.Type) (optional []string) {
	for i := range t.NumField() {
		field := t.Field(i)
		member, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && member == "":
			optional = append(optional, d.addMembers(properties, cmp.Or(components[field.Type], name), field.Type)...)
			continue
		case member == "" || member == "-":
			continue
		}
		place := name + "." + member
		schema := d.schemaAt(place, field.Type)
		if strings.HasPrefix(options, "omit") { // omitted if empty or zero
			optional = append(optional, member)
		} else if field.Type.Kind() == reflect.Pointer {
			schema = object{"anyOf": list{schema, object{"type": "null"}}}
		}
		properties[member] = schema
	}
	return optional
}

// schemaAt returns the schema of a place, with its description.
func (d *document) schemaAt(place string, t reflect.Type) object {
	schema := narrowerSchemas[place]
	if schema == nil {
		schema = d.schemaOf(place, t)
	}
	return d.withDescription(place, schema)
}

func (d *document) schemaOf(place string, t reflect.Type) object {
	if name := components[t]; name != "" {
		return schemaRef(name)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schemaOf(place, t.Elem())
	case reflect.Bool:
		return flag
	case reflect.Float64:
		return number
	case reflect.Int:
		return object{"type": "integer"}
	case reflect.Uint64:
		return count
	case reflect.Slice:
		return arrayOf(d.schemaAt(place+"[]", t.Elem()))
	case reflect.Map:
		return mapOf(d.schemaAt(place+"{}", t.Elem()))
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return instant
		}
		member := place[strings.LastIndexByte(place, '.')+1:]
		return d.structSchema(strings.TrimSuffix(member, "[]"), t)
	}
	return text
}
