// Package formula reads, checks, computes and prints the texts of formulas. Use it for the
// Definition of a Spec, or for another formula that people write and programs must compute. [Parse]
// reads a text, and [Text.Check] compares it with the fields of an engine. [Text.Evaluate] computes
// it with proved bounds. [Text.Compile] makes a [Program] that computes it as fast as Go.
// [Text.LaTeX], [Text.MathML] and [Steps] show it to people.
//
// A text is a formula as an engineer writes it on paper, in letters of a keyboard:
//
//	K = 2 if end_condition == "fixed_free"
//	K = 1 otherwise
//	r = sqrt(I/A); lambda = K*L/r
//	P_cr = pi^2*E*I/(K*L)^2
//
// It has one meaning for all of them. There are no loops, no recursion, no state and no input or
// output. So reading and computing a text is bounded. docs/reference/formula-language.md explains
// each part of the grammar with examples.
//
//	text       = { [ statement ] [ "#" comment ] ( newline | ";" ) } ;
//	statement  = name ":=" [ "-" ] number [ unit ]
//	           | name [ "(" name { "," name } ")" ] "=" expr [ case ]
//	           | name "[" integer "]" "=" expr [ case ]
//	           | name "[" name "in" ( list | sum ".." sum ) "]" "=" expr [ case ]
//	           | "solve" name "in" "[" sum "," sum "]" ":" sum "=" sum [ case ]
//	           | "taken" name ;
//	case       = ( "if" expr | "otherwise" ) [ "@" id ] ;
//	expr       = and { "or" and } ;
//	and        = not { "and" not } ;
//	not        = { "not" } sum { ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum } ;
//	sum        = product { ( "+" | "-" ) product } ;
//	product    = signed { ( "*" | "/" ) signed } ;
//	signed     = [ "-" ] postfix [ "^" signed ] ;
//	postfix    = primary { "[" sum "]" | "." name } ;
//	primary    = number | "{" [ "-" ] number unit "}" | '"' value '"' | "(" expr ")"
//	           | fold "(" name "in" ( list | sum ".." sum ) [ "if" expr ] [ ":" expr ] ")"
//	           | name "(" name "=" expr { "," name "=" expr } ")"
//	           | name [ "(" expr { "," expr } ")" ] ;
//	fold       = "sum" | "min" | "max" | "mean" | "count" | "any" | "all" | "first" | "last" | "argmin" | "argmax" ;
//
// The comment after a constant is its source, and the comment after taken is the reason. A
// line that starts with a blank continues the previous one. -x^2 is -(x^2), and a^b^c is
// a^(b^c). a < b < c is a < b and b < c. A function calls only functions above it.
package formula

import (
	"math/big"

	"github.com/slipstick/slipstick/sdk/value"
)

// Limits of a text. Parse refuses larger ones.
const (
	MaxBytes       = 16 << 10
	MaxDefinitions = 256
	MaxNodes       = 4000   // numbers, names and operations; 1e300 counts as 4
	MaxSteps       = 20_000 // of them, with the bodies of functions in place of their calls
	MaxCalls       = 16     // functions that call one another
	MaxDepth       = 32     // of expressions within one another
	MaxFolds       = 3      // within one another
	MaxDigits      = 80     // of a number
	MaxExponent    = 999
)

// Text is a parsed text: definitions in the order of computation. It never changes, so it is safe for
// concurrent use. Methods that change something return another Text.
type Text struct {
	Definitions []*Definition
	source      string

	decimals bool // inputs are the decimals that people type: see [Text.OfDocument]
	rounds   bool // comparisons round both sides to 53 bits

	tables       map[string]val
	tableSymbols []Symbol
	tableValues  map[string]value.Value // of tables with decimals alone, for programs

	callees []Callee
}

// Definition is the meaning of one name. The first case that holds counts. If none does, or an
// operand of it is absent, the name has no value. An input that was sent is not computed.
type Definition struct {
	Name   string
	Params []string // of a helper function; nil for a quantity
	List   *List    // how the items of a list are computed; nil for others
	Cases  []Case   // none if the quantity is taken
	Kind   Kind
	Line   int    // its first line, from 1
	Unit   string // of a constant; "" if it has none
	Note   string // the comment after the first case: the source of a constant, or why a quantity is taken

	pos int32 // of its first case
}

// Kind is the kind of a Definition.
type Kind uint8

// The kinds of definitions.
const (
	Quantity Kind = iota
	Function      // with Params
	Constant      // one number, which may have a unit
	Taken         // from the engine, without a formula
	Listed        // a list, computed item by item
)

// Case is one way to compute a definition.
type Case struct {
	When      *Expr  // nil if it always holds, and for otherwise
	Otherwise bool   // it is the last one, and holds if no other does
	ID        string // of the formula that the engine reports here; "" for none
	Value     *Expr  // nil if Solve is not
	Solve     *Solve
}

// Solve defines a quantity by an equation: the root of Left = Right between Low and High.
// Left - Right has different signs at these two, or is zero at one of them. Otherwise the
// value is a [Fault].
type Solve struct{ Low, High, Left, Right *Expr }

// Op is the operation of an Expr.
type Op uint8

// The operations, with their arguments.
const (
	Number  Op = iota // Value, and Literal as it was written; Unit
	Name              // Name: a field, a constant, a definition, a parameter or an index
	Literal           // Name: a value of an enum
	Neg               // x
	Add               // x, y
	Sub
	Mul
	Div
	Pow
	Less
	LessEqual
	Greater
	GreaterEqual
	Equal
	NotEqual
	And
	Or
	Not    // x
	Call   // Name: a function of the language or of the text; any number of arguments
	Index  // list, number from 1
	Member // record, with Name
	Fold   // over the items of a list or a range; Name is the index: see Folded
	Ask    // another calculation, by Name, with named arguments: see Callee
)

// Expr is one node of an expression.
type Expr struct {
	Op   Op
	Name string
	Args []*Expr

	Value   *big.Rat // of a Number
	Literal string
	Unit    string

	Fold   *Folded  // the form of a Fold
	Fields []string // names of the arguments of an Ask

	site     int32 // of an Ask, among all of the text
	chained  bool  // an And that can be written as a < b < c
	pos      int32 // of its sign or its name in the source, in bytes
	from, to int32 // its first byte, and the byte after it
}

// Folded is the form of a [Fold]. Its Args are the list, or both ends of the range, then the condition and
// the body, where it has them.
type Folded struct {
	Func  string // sum, min, max, mean, count, any, all, first, last, argmin or argmax
	Range bool   // over the integers of a range
	If    bool   // items where the condition does not hold are left out
	Body  bool   // what is folded; without it the item itself
}

// ends returns the list, or both ends of the range.
func (x *Expr) ends() []*Expr {
	if x.Fold.Range {
		return x.Args[:2]
	}
	return x.Args[:1]
}

// condition returns the condition of a Fold, nil if there is none.
func (x *Expr) condition() *Expr {
	if !x.Fold.If {
		return nil
	}
	return x.Args[len(x.ends())]
}

// body returns the body of a Fold, nil if there is none.
func (x *Expr) body() *Expr {
	if !x.Fold.Body {
		return nil
	}
	return x.Args[len(x.Args)-1]
}

// folds are the functions of folds. They are not reserved words: only an index after the parenthesis makes a fold.
var folds = map[string]bool{
	"sum": true, "min": true, "max": true, "mean": true, "count": true, "any": true, "all": true,
	"first": true, "last": true, "argmin": true, "argmax": true,
}

// functions are the functions of the language, with their fewest and most arguments.
var functions = map[string][2]int{
	"sqrt": {1, 1}, "exp": {1, 1}, "ln": {1, 1}, "log10": {1, 1},
	"sin": {1, 1}, "cos": {1, 1}, "tan": {1, 1}, "asin": {1, 1}, "acos": {1, 1}, "atan": {1, 1}, "atan2": {2, 2},
	"sinh": {1, 1}, "cosh": {1, 1}, "tanh": {1, 1},
	"abs": {1, 1}, "sign": {1, 1}, "min": {1, 16}, "max": {1, 16},
	"mean": {1, 1}, "median": {1, 1}, "count": {1, 1},
	"floor": {1, 2}, "ceil": {1, 2}, "round": {1, 2}, "sort": {1, 1}, "interpolate": {3, 3},
	"given": {1, 16}, "factor": {1, 1}, "zero": {1, 1},
}

// words have a meaning of their own, in addition to the names of functions.
var words = map[string]bool{
	"if": true, "otherwise": true, "and": true, "or": true, "not": true, "in": true,
	"solve": true, "taken": true, "sum": true, "pi": true, "true": true, "false": true,
}

// Reserved reports whether a name has a meaning of its own, so that a text cannot define it.
func Reserved(name string) bool { return isFunction(name) || words[name] }

// isFunction reports whether a name always means a function. Newer functions have their meaning only before a
// parenthesis, because older texts can have quantities of the same name.
func isFunction(name string) bool {
	_, function := functions[name]
	return function && !newer[name]
}

var newer = map[string]bool{"floor": true, "ceil": true, "round": true, "sort": true, "interpolate": true}

// With returns a text with other definitions, which has the tables of t and is evaluated as t is.
func (t *Text) With(definitions []*Definition) *Text {
	of := *t
	of.Definitions, of.source = definitions, ""
	return &of
}

// String returns the text as it was passed to Parse.
func (t *Text) String() string { return t.source }

// Definition returns the definition of a name, or nil if there is none. It must not be changed.
func (t *Text) Definition(name string) *Definition {
	for _, d := range t.Definitions {
		if d.Name == name {
			return d
		}
	}
	return nil
}
