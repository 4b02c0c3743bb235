package catalog

import (
	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

import "slices"

// Codes explains every code that a REST response can contain at present, in alphabetical order. Callers
// must not change the list.
func (c *Catalog) Codes() []problem.Doc {
	c.readCodes.Do(func() {
		c.codes = problem.ExplainErrors(c.declared(func(r *Release) []string { return r.Spec.Codes() }))
	})
	return c.codes
}

// Warnings explains every code that the warnings of a success can contain at present, in
// alphabetical order.
func (c *Catalog) Warnings() []problem.Doc {
	return problem.ExplainWarnings(c.declared(func(r *Release) []string { return r.Spec.Warnings }))
}

// declared lists the capabilities with releases that declare a code.
func (c *Catalog) declared(codes func(*Release) []string) map[string][]string {
	declared := map[string][]string{}
	for _, e := range c.entries {
		for _, r := range e.Releases {
			for _, code := range codes(r) {
				if by := declared[code]; len(by) == 0 || by[len(by)-1] != e.ID { // the releases of a capability are consecutive
					declared[code] = append(by, e.ID)
				}
			}
		}
	}
	return declared
}

// Code explains the error or warning code with the slug. The error is a NOT_FOUND problem.
func (c *Catalog) Code(slug string) (problem.Doc, error) {
	for _, d := range slices.Concat(c.Codes(), c.Warnings(), problem.ExplainMCP()) {
		if d.Slug() == slug {
			return d, nil
		}
	}
	return problem.Doc{}, problem.New(problem.CodeNotFound, "The last part of the address is a code in kebab case, such as invalid-number.", "there is no problem of this name")
}
