// Package remote answers one question: how does a registry in a directory come to have
// what an OCI registry elsewhere has, and the other way round?
//
// An address is oci://host[:port]/prefix. Below it every capability has a repository
// of its own, prefix/<capability_id>, in which a tag is a version, the tag current is the
// one that calls without a pin follow, and what is said of a release refers to it as its
// subject. The repository prefix itself has a tag for every capability: listing what is
// published is listing tags, which every registry can do, and two publishers never write
// the same tag.
//
// Reading goes through a mirror, a registry in a directory on this machine. Sync adds
// what is new to it, after every byte was compared with its digest; all else reads the
// mirror, also while the registry cannot be reached. Writing goes through a [Draft]: a
// clone of the mirror is changed by the rules of every registry, and then what is new in
// it is pushed, the tag of the version last.
package remote
