// Package formula answers one question: what does the text of a formula say?
//
// A text is what an engineer writes on paper, in letters that a keyboard has:
//
//	K = 2 if end_condition == "fixed_free"
//	K = 1 otherwise
//	r = sqrt(I/A); lambda = K*L/r
//	P_cr = pi^2*E*I/(K*L)^2
//
// It has one meaning. [Parse] reads it, [Text.Evaluate] computes it with proven bounds, and the
// printers show it. There are no loops, no recursion, no state and no input or output: a text
// cannot say more than a formula does, and reading and computing one is bounded.
// docs/formula.md explains each part of the grammar with examples.
//
//	text       = { [ statement ] [ "#" comment ] ( newline | ";" ) } ;
//	statement  = name ":=" [ "-" ] number [ unit ]
//	           | name [ "(" name { "," name } ")" ] "=" expr [ case ]
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
//	           | "sum" "(" name "in" ( name | sum ".." sum ) ":" sum ")"
//	           | name [ "(" expr { "," expr } ")" ] ;
//
// The comment behind a constant is its source, and that behind taken is the reason. A line that
// begins with a blank continues the one before. -x^2 is -(x^2), and a^b^c is a^(b^c).
// a < b < c is a < b and b < c. A function calls only functions above it.
package formula

import "math/big"

// Limits of a text. Parse refuses what is beyond them.
const (
	MaxBytes       = 4 << 10
	MaxDefinitions = 64
	MaxNodes       = 1000   // numbers, names and operations; 1e300 counts as 4
	MaxSteps       = 20_000 // of them, with the bodies of functions in place of their calls
	MaxCalls       = 16     // functions that call one another
	MaxDepth       = 32     // of expressions within one another
	MaxDigits      = 80     // of a number
	MaxExponent    = 999
)

// Text is what was read: definitions in the order of computation.
type Text struct {
	Definitions []*Definition
	source      string
}

// Definition says what one name stands for. The first case that holds counts. If none does, or
// an operand of it is absent, the name has no value. An input that was sent is not computed.
type Definition struct {
	Name   string
	Params []string // of a helper function; nil for a quantity
	Cases  []Case   // none if the quantity is taken
	Kind   Kind
	Line   int    // where it begins, from 1
	Unit   string // of a constant; "" if it has none
	Note   string // the comment behind the first case: the source of a constant, or why a quantity is taken

	pos int32 // of its first case
}

// Kind is the kind of a Definition.
type Kind uint8

// The kinds of definitions.
const (
	Quantity Kind = iota
	Function      // with Params
	Constant      // one number, which may have a unit
	Taken         // of the engine: no formula gives it
)

// Case is one way to compute a definition.
type Case struct {
	When      *Expr  // nil if it always holds, and for otherwise
	Otherwise bool   // it is the last one, and holds where no other does
	ID        string // of the formula that the engine reports here; "" for none
	Value     *Expr  // nil if Solve is not
	Solve     *Solve
}

// Solve defines a quantity by an equation: the root of Left = Right between Low and High,
// where Left - Right has different signs.
type Solve struct{ Low, High, Left, Right *Expr }

// Op is what an Expr does.
type Op uint8

// The operations, with the arguments that they have.
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
	Not      // x
	Call     // Name: a function of the language or of the text; any number of arguments
	Index    // list, number from 1
	Member   // record, with Name
	SumList  // list, term; Name is that of an item
	SumRange // first, last, term; Name is that of the index
)

// Expr is one node of an expression.
type Expr struct {
	Op   Op
	Name string
	Args []*Expr

	Value   *big.Rat // of a Number
	Literal string
	Unit    string

	chained  bool  // an And that can be written as a < b < c
	pos      int32 // of its sign or its name in the source, in bytes
	from, to int32 // its first byte, and that behind it
}

// functions of the language, with the fewest and most arguments.
var functions = map[string][2]int{
	"sqrt": {1, 1}, "exp": {1, 1}, "ln": {1, 1}, "log10": {1, 1},
	"sin": {1, 1}, "cos": {1, 1}, "tan": {1, 1}, "asin": {1, 1}, "acos": {1, 1}, "atan": {1, 1}, "atan2": {2, 2},
	"sinh": {1, 1}, "cosh": {1, 1}, "tanh": {1, 1},
	"abs": {1, 1}, "sign": {1, 1}, "min": {1, 16}, "max": {1, 16},
	"mean": {1, 1}, "median": {1, 1}, "count": {1, 1},
	"given": {1, 16}, "factor": {1, 1}, "zero": {1, 1},
}

// words that have a meaning of their own, beside the names of functions.
var words = map[string]bool{
	"if": true, "otherwise": true, "and": true, "or": true, "not": true, "in": true,
	"solve": true, "taken": true, "sum": true, "pi": true, "true": true, "false": true,
}

// Reserved reports whether a name has a meaning of its own, so that nothing can be called so.
func Reserved(name string) bool {
	_, function := functions[name]
	return function || words[name]
}

// String returns the text as it was given to Parse.
func (t *Text) String() string { return t.source }

// Definition returns the definition of a name, nil if there is none.
func (t *Text) Definition(name string) *Definition {
	for _, d := range t.Definitions {
		if d.Name == name {
			return d
		}
	}
	return nil
}
