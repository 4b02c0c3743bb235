// Package take answers one question: in which files does a calculation leave a page? A table, a
// workbook, a text for LaTeX, and programs that ask for the same calculation again. Every file
// says which version computed it, with which engine, and where it can be seen.
package take

import "slices"

// Calculation is what is taken along.
type Calculation struct {
	Title   string
	Tool    string
	Version string // that computed it
	Engine  string // digest of the engine
	Address string // public one of its page, with the inputs

	Inputs, Results []Quantity
	Assumptions     []string
	Warnings        []string
	Plots           []Table

	Formula string // as LaTeX; "" if there is none
	Steps   []Step
}

// Quantity is one input or result.
type Quantity struct {
	Name  string // that programs know
	Label string
	Value Cell // in the unit of the reader
	Unit  string
	SI    Cell // as it was computed
	Of    string
}

// Cell is a number with all its digits, or a text.
type Cell struct {
	Text   string
	Number float64
	IsText bool
}

// Table is the numbers of a plot.
type Table struct {
	Title  string
	Header []string // names with units
	Rows   [][]string
}

// Step is one line of the worked steps, as LaTeX.
type Step struct {
	Math    string
	Because string // in words, with formulas between dollar signs
	Note    string
}

// about says where the numbers come from.
func (c *Calculation) about() [][2]string {
	return [][2]string{{"Calculation", c.Title}, {"Computed by", c.Tool + "@" + c.Version}, {"Engine", c.Engine}, {"Address", c.Address}}
}

// all returns inputs and results, with what they are.
func (c *Calculation) all() (kinds []string, list []Quantity) {
	kinds = append(slices.Repeat([]string{"Input"}, len(c.Inputs)), slices.Repeat([]string{"Result"}, len(c.Results))...)
	return kinds, slices.Concat(c.Inputs, c.Results)
}
