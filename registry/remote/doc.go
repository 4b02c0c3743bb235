// Package remote answers one question: how do a registry in a directory and a remote OCI
// registry get the same content? Use [Open] to open the registry at a URL.
//
// A URL is oci://host[:port]/prefix. Every capability has a repository of its own below it,
// prefix/<capability_id>. A tag is a version; calls without a pin follow the tag current. A
// statement about a release has the release as its subject.
//
// The repository prefix itself has a tag for every capability. So listing the capabilities
// means listing tags, which every registry supports, and two publishers never write the same
// tag.
//
// Reads go through a mirror, a registry in a directory on this machine. [Registry.Sync] adds
// new content to it, after comparing every byte with its digest. Everything else reads the
// mirror, also while the remote registry cannot be reached.
//
// Writes go through a [Draft], a clone of the mirror. It is changed by the rules of every
// registry. Then the new content in it is pushed, and the tag of the version last.
package remote
