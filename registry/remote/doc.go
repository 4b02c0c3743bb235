// Package remote reads and writes a registry in a remote OCI registry. Use [Open] for a URL, and
// [IsAddress] to distinguish a URL from a directory. [Registry.Sync] copies new content into a
// mirror in a directory on this machine, and [Registry.Mirror] returns it. To publish, change a
// [Draft] and push it.
//
// A URL is oci://host[:port]/prefix. Every capability has a repository of its own below it,
// prefix/<capability_id>. A tag is a version; calls without a pin follow the tag current. A
// statement about a release has the release as its subject.
//
// The repository prefix itself has a tag for every capability. So listing the capabilities means
// listing tags, which every registry supports, and two publishers never write the same tag.
//
// Sync compares every byte with its digest. Everything else reads the mirror, also while the remote
// registry cannot be reached. A Draft is a clone of the mirror, and is changed by the rules of
// every registry. [Draft.Push] uploads its new content, and the tag of the version last.
package remote
