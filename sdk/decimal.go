package sdk

import "math/big"

// Decimal is the Go type of a field that accepts a decimal string. It is the caller's literal
// if one was sent, and the binary64 number otherwise.
type Decimal struct {
	Literal string  // exact decimal literal; empty when a JSON number was sent
	Float   float64 // nearest binary64 of the value
}

// Rat returns the exact value of the literal, or of Float if there is no literal. Float must be finite.
func (d Decimal) Rat() *big.Rat {
	if d.Literal != "" {
		if r, ok := new(big.Rat).SetString(d.Literal); ok {
			return r
		}
	}
	return new(big.Rat).SetFloat64(d.Float)
}
