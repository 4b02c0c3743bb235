// Package sign answers one question: who signed a statement, and does the signature count?
//
// What is said of a release (that its publisher published it, what the conformance
// suite found, what a reviewer saw, where it is in its life) is a [Statement]: a JSON
// document in one canonical spelling (RFC 8785), bound to exactly one manifest and its
// engines, and signed with minisign. A [Trust] file, kept outside of the registry, names
// the keys whose word counts, for what, and for how long. The command minisign checks
// the same files:
//
//	minisign -Vm statement.json -x statement.json.minisig -P PUBLICKEY
//
// The package knows no registry: statements come to it as bytes.
package sign
