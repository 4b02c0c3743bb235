package calculator

import (
	"encoding/json"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
)

// graph is the linked data of a page, in the vocabulary of schema.org.
type graph struct {
	Context string `json:"@context"`
	Graph   []any  `json:"@graph"`
}

type reference struct {
	ID string `json:"@id"`
}

// application describes the calculator. It is the same entity with and without a result.
type application struct {
	Type        string     `json:"@type"`
	ID          string     `json:"@id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	URL         string     `json:"url"`
	Identifier  string     `json:"identifier"`
	Category    string     `json:"applicationCategory"`
	System      string     `json:"operatingSystem"`
	Free        bool       `json:"isAccessibleForFree"`
	Offers      offer      `json:"offers"`
	Version     string     `json:"softwareVersion"`
	Uses        entryPoint `json:"potentialAction"`
}

type offer struct {
	Type     string `json:"@type"`
	Price    int    `json:"price"`
	Currency string `json:"priceCurrency"`
}

type entryPoint struct {
	Type   string `json:"@type"`
	Name   string `json:"name,omitempty"`
	Target any    `json:"target,omitempty"`
}

type target struct {
	Type        string `json:"@type"`
	Template    string `json:"urlTemplate"`
	Method      string `json:"httpMethod"`
	ContentType string `json:"contentType"`
}

// action is one calculation with the calculator.
type action struct {
	Type       string     `json:"@type"`
	Name       string     `json:"name"`
	Status     string     `json:"actionStatus"`
	Object     []property `json:"object"`
	Result     []property `json:"result"`
	Instrument reference  `json:"instrument"`
}

type property struct {
	Type  string `json:"@type"`
	ID    string `json:"propertyID"`
	Name  string `json:"name"`
	Value any    `json:"value"`
	Unit  string `json:"unitText,omitempty"`
}

type breadcrumbs struct {
	Type  string       `json:"@type"`
	Items []breadcrumb `json:"itemListElement"`
}

type breadcrumb struct {
	Type     string `json:"@type"`
	Position int    `json:"position"`
	Name     string `json:"name"`
	Item     string `json:"item"`
}

// graphOf describes the calculator of the release. If there is a sheet, it also describes the
// calculation on it.
func (p *Pages) graphOf(r *catalog.Release, s *sheet) *graph {
	canonical := p.Address(catalog.PagePath(&r.Spec))
	g := &graph{Context: "https://schema.org", Graph: []any{application{
		Type: "WebApplication", ID: canonical, Name: r.Spec.Title, Description: r.Spec.Summary, URL: canonical, Identifier: r.Capability,
		Category: "UtilitiesApplication", System: "Any", Free: true, Offers: offer{"Offer", 0, "EUR"}, Version: r.Version,
		Uses: entryPoint{"UseAction", "Calculate", []target{
			{"EntryPoint", canonical + "{?" + names(r.Spec.Inputs) + "}", "GET", "text/html"},
			{"EntryPoint", p.Address("/api/v1/calc/" + r.Spec.Tool), "POST", "application/json"},
		}},
	}}}
	if s != nil {
		g.Graph = append(g.Graph, action{
			Type: "Action", Name: r.Spec.Title, Status: "CompletedActionStatus", Instrument: reference{canonical},
			Object: properties(r.Spec.Inputs, s.Inputs), Result: properties(r.Spec.Outputs, s.Outputs),
		})
	}
	g.Graph = append(g.Graph, breadcrumbs{"BreadcrumbList", []breadcrumb{
		{"ListItem", 1, "Calculators", p.Address("/")},
		{"ListItem", 2, wording.FormatName(r.Spec.Group), p.Address("/calc/" + r.Spec.Group)},
		{"ListItem", 3, r.Spec.Title, canonical},
	}})
	return g
}

// names returns the names of the inputs in the form of a URI template (RFC 6570).
func names(fields []sdk.Field) string {
	text := ""
	for i := range fields {
		if i > 0 {
			text += ","
		}
		text += fields[i].Name
	}
	return text
}

// properties returns the quantities with the values of the API.
func properties(fields []sdk.Field, list []show.Quantity) []property {
	properties := []property{}
	for _, q := range list {
		property := property{Type: "PropertyValue", ID: q.Name, Name: q.Label, Value: q.Full}
		for i := range fields {
			if fields[i].Name == q.Name && (q.Number != nil || fields[i].Decimal || fields[i].Type == sdk.TypeBoolean) {
				property.Value, property.Unit = json.RawMessage(q.Full), fields[i].Unit
			}
		}
		properties = append(properties, property)
	}
	return properties
}
