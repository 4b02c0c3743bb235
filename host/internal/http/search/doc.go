// Package search finds the capabilities that a question in plain words is about. REST, MCP and the pages use
// it; it does not depend on any transport. [New] builds an [Index] of a catalog. [Live] keeps the Index of a
// catalog that changes.
//
// The search covers these texts of a capability: ids, title, summary and formulas. It also covers the names,
// aliases, documentation, units and choices of inputs and outputs. BM25F ranks the capabilities: by the rarity
// of a word among the capabilities, and by its number of occurrences in each part of a capability.
//
// A word of the question has several readings: the word itself, and technical words with the same meaning (sag:
// deflection). A unit can also mean its quantity (psi: pressure). The best reading counts.
//
// A search finds nothing if no capability meets the demand of the question: see [Index.Search].
package search
