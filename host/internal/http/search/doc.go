// Package search answers which capability a question in plain words is about. It knows
// no transport.
//
// The texts of a capability that are searched are its ids, title and summary, the names,
// aliases, documentation, units and choices of its inputs and outputs, and its formulas.
// They are ranked by BM25F: by how rare a word is among the capabilities, and by how often and
// in which parts of a capability it occurs. A word of the question is read in several ways: as
// itself, as technical words with the same meaning (sag: deflection) and, if it is a unit, as
// its quantity (psi: pressure). The best reading counts.
package search
