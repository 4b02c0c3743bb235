// Package search answers which capability a question in plain words is about. It knows
// no transport.
//
// The texts of a capability that are searched are its ids, title and summary, the names,
// aliases, documentation, units and choices of its inputs and outputs, and its formulas.
// They are ranked by BM25F: how rare a word is among the capabilities, and how often it
// stands where in one of them. A word of the question counts for itself, for the
// technical words that its everyday sense leads to (sag: deflection), and, if it is a
// unit, for its quantity (psi: pressure); of these readings the best one counts.
package search
