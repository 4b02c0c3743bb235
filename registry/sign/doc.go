// Package sign answers one question: who signed a statement, and does the signature count?
//
// A statement about a release is a [Statement], for example that its publisher published it,
// or that a reviewer examined it. It is a JSON document in canonical form (RFC 8785), bound to
// exactly one manifest and its engines, and signed with minisign.
//
// A [Trust] file is kept outside of the registry. It names the trusted keys, with their roles,
// scopes and times. Use [Signer.Sign] to sign and [Trust.Check] to verify. The command
// minisign checks the same files:
//
//	minisign -Vm statement.json -x statement.json.minisig -P PUBLICKEY
//
// The package does not read registries: statements come to it as bytes.
package sign
