// Package take writes the export files of a calculation: [CSV], [XLSX], [LaTeX], and programs that repeat the
// calculation ([Program]). Fill in a [Calculation] or a [Call], and pass it to one of these functions. Every file names
// the version and the engine that computed it, and the URL of its page.
package take

import "slices"

// Calculation is the content of the files.
type Calculation struct {
	Title   string
	Tool    string
	Version string // version that computed it
	Engine  string // digest of the engine
	Address string // public URL of its page, with the inputs

	Inputs, Results []Quantity
	Assumptions     []string
	Warnings        []string
	Plots           []Table

	Formula string // as LaTeX; "" if there is none
	Steps   []Step
}

// Quantity is one input or result.
type Quantity struct {
	Name  string // in the API
	Label string
	Value Cell // in the unit of the reader
	Unit  string
	SI    Cell   // in the unit of the engine
	Of    string // unit of SI
}

// Cell is a number with all its digits, or a text.
type Cell struct {
	Text   string
	Number float64
	IsText bool
}

// Table has the numbers of a plot.
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

// about returns the origin of the numbers: calculation, version, engine and URL.
func (c *Calculation) about() [][2]string {
	return [][2]string{{"Calculation", c.Title}, {"Computed by", c.Tool + "@" + c.Version}, {"Engine", c.Engine}, {"Address", c.Address}}
}

// all returns inputs and results, with their kinds.
func (c *Calculation) all() (kinds []string, list []Quantity) {
	kinds = append(slices.Repeat([]string{"Input"}, len(c.Inputs)), slices.Repeat([]string{"Result"}, len(c.Results))...)
	return kinds, slices.Concat(c.Inputs, c.Results)
}
