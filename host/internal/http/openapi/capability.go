package openapi

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
)

// capability is a published capability as the document describes it.
type capability struct {
	*catalog.Entry
	releases []*catalog.Release // newest first; at least one
	shown    *catalog.Release   // the current release; the newest if there is no current one
	accepted example            // a request of the shown release, zero if there is none
	rejected example
}

// readCapability returns nil if no release has a usable Spec.
func readCapability(e *catalog.Entry) *capability {
	c := &capability{Entry: e}
	for _, r := range e.Releases {
		if r.Spec.Capability != e.ID || r.Spec.Version != r.Version || r.Spec.Validate() != nil {
			continue
		}
		c.releases = append(c.releases, r)
		if c.shown == nil || r.Version == e.Current {
			c.shown = r
		}
	}
	if c.shown == nil {
		return nil
	}
	c.accepted, c.rejected = examplesOf(c.shown)
	return c
}

// resultName returns the name of the component schema of a release's success result.
func (c *capability) resultName(r *catalog.Release) string { return c.ID + "-" + r.Version + ".result" }

// part returns the name of another component schema of the capability.
func (c *capability) part(name string) string { return c.ID + "." + name }

// codes returns the codes that the engines of all versions declare.
func (c *capability) codes() []string {
	var codes []string
	for _, r := range c.releases {
		codes = append(codes, r.Spec.Codes()...)
	}
	return codes
}

// ids returns the capability id and the tool ids of all versions.
func (c *capability) ids() list {
	ids := list{c.ID}
	for _, r := range c.releases {
		if !slices.Contains(ids, any(r.Spec.Tool)) {
			ids = append(ids, r.Spec.Tool)
		}
	}
	return ids
}

// versions returns the versions that can be pinned, newest first.
func (c *capability) versions() list {
	var versions list
	for _, r := range c.releases {
		versions = append(versions, r.Version)
	}
	return versions
}

// addCapability adds the path of a capability, and its schemas.
func (d *document) addCapability(c *capability) error {
	if err := d.addCapabilitySchemas(c); err != nil {
		return err
	}
	spec := &c.shown.Spec
	responses := answers(d.calculated(c.result()), calculationFailures)
	responses["400"] = withExamples(failure(400, "The request cannot be read, or the engine rejects the inputs.", schemaRef(c.part("rejections"))), d.missing(c))
	calculate := operation(spec.Group, "calculate."+c.ID, spec.Title, explain(spec), nil, withExamples(body(c.part("request")), c.requests()), responses)
	calculate["parameters"] = append(pinParameters(schemaRef(c.part("version"))), ref("parameters", "Steps"), ref("parameters", "UnitSystem"), ref("parameters", "FormattedUnit"))

	get := describe("describe." + c.ID)
	get["tags"], get["summary"] = list{spec.Group}, spec.Title+": description"
	get["parameters"] = append(pinParameters(schemaRef(c.part("version"))), ref("parameters", "IfNoneMatch"))
	d.paths["/api/v1/calc/"+c.ID] = object{"get": get, "post": calculate}
	return nil
}

func (d *document) addCapabilitySchemas(c *capability) error {
	for _, r := range c.releases {
		result, err := generated(response.OutputSchema(&r.Spec))
		if err != nil {
			return err
		}
		d.schemas[c.resultName(r)] = d.withForms(result)
	}
	inputs, err := generated(response.InputSchema(&c.shown.Spec))
	if err != nil {
		return err
	}
	inputs = d.withForms(inputs)
	version := schemaRef(c.part("version"))
	inputs["properties"].(object)["calculation_version"] = version // the inputs may contain a pin
	d.schemas[c.part("inputs")] = inputs
	d.schemas[c.part("request")] = object{
		"description": "The inputs themselves, or an envelope around them.",
		"anyOf":       list{schemaRef(c.part("inputs")), enveloped(schemaRef(c.part("inputs")), version, object{"type": "string", "enum": c.ids()})},
	}
	d.schemas[c.part("version")] = object{"type": "string", "enum": c.versions(), "description": "Published versions, newest first."}
	d.schemas[c.part("rejections")] = object{"type": "string", "enum": d.rejections(c), "description": "Codes with status 400."}
	return nil
}

// result returns the schema of a success of any version. A new version only adds an element.
func (c *capability) result() object {
	var results list
	mapping := object{}
	for _, r := range c.releases {
		one := schemaRef(c.resultName(r))
		results = append(results, one)
		mapping[r.Version] = one["$ref"]
	}
	return object{"oneOf": results, "discriminator": object{"propertyName": "calculation_version", "mapping": mapping}}
}

// explain describes the calculation to people, in Markdown.
func explain(s *sdk.Spec) string {
	var b strings.Builder
	b.WriteString(s.Summary + "\n\nThe inputs belong to version " + s.Version + ".\n")
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			b.WriteString("\n**" + title + "**\n\n- " + strings.Join(lines, "\n- ") + "\n")
		}
	}
	var formulas, references []string
	for _, f := range s.Formulas {
		formulas = append(formulas, strings.TrimSpace("`"+f.Expression+"` "+f.Label))
	}
	for _, r := range s.References {
		references = append(references, strings.TrimSuffix(r.Title+", "+r.Where, ", "))
	}
	section("Formulas", formulas)
	section("Assumptions", s.Assumptions)
	if s.SignConvention != "" {
		section("Sign convention", []string{s.SignConvention})
	}
	section("References", references)
	return b.String()
}
