package sandbox

import "fmt"

// Private is something of the host that no engine may ever read.
type Private struct {
	Name string // for people: "data directory"
	Path string // a file or a directory with everything in it; it need not be there yet

	// Secret means that the content must stay unknown. A hard link to a secret file can be
	// anywhere, so while there is one, no engine may read anything on that file system.
	// Published files are not secret: registries and their mirrors share files by hard links.
	Secret bool
}

// Relation is the relation between a path that a release asks to read and a private path.
type Relation string

// The relations.
const (
	Contains  Relation = "contains"
	Is        Relation = "is"
	LiesIn    Relation = "lies in"
	MayLinkTo Relation = "may hold a second hard link to"
)

// PrivateError reports an engine that does not start, because a path that its release asks to
// read would give access to something private.
type PrivateError struct {
	Asked    string // what would be shown: a path of the release, or a mount below it
	Relation Relation
	Private  Private
	At       string // the file in question, if it is another than Private.Path
}

func (e *PrivateError) Error() string {
	at := e.Private.Path
	if e.At != "" {
		at = e.At
	}
	remedy := "declare narrower read_only_paths in the release, or move the " + e.Private.Name
	if e.Relation == MayLinkTo {
		remedy = "remove the other name of that file"
	}
	return fmt.Sprintf("the release wants to read %s, which %s the %s of the host (%s); %s", e.Asked, e.Relation, e.Private.Name, at, remedy)
}
