// Package sign signs statements about releases, and checks who signed them. A [Statement] is, for
// example, that its publisher published the release, or that a reviewer examined it. It is a JSON
// document in canonical form (RFC 8785), bound to exactly one manifest and its engines, and signed
// with minisign.
//
// [NewKey] makes a key, [ReadKey] reads one, and [Signer.Sign] signs. A reader names the trusted
// keys, with their roles, scopes and times, in a file outside of the registry. [ReadTrustFile]
// reads it. [Trust.Check] verifies a signature, and its error explains why a signature does not
// count. The command minisign checks the same files:
//
//	minisign -Vm statement.json -x statement.json.minisig -P PUBLICKEY
//
// The package does not read registries: statements come to it as bytes.
package sign
