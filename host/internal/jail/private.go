package jail

import "fmt"

// Private is something of the host that no engine may ever read.
type Private struct {
	Name string // for people: "data directory"
	Path string // a file or a directory with everything in it; it need not be there yet

	// Secret means that nobody else may know the contents. A hard link to a secret file
	// can lie anywhere, so no engine reads anything of that file system while there is one.
	// What is published is no secret: registries and their mirrors share files by links.
	Secret bool
}

// Relation is how something that a release asks to read lies to something private.
type Relation string

// The relations.
const (
	Contains  Relation = "contains"
	Is        Relation = "is"
	LiesIn    Relation = "lies in"
	MayLinkTo Relation = "may hold a second hard link to"
)

// PrivateError is why an engine does not start: what its release asks to read would
// show it something private.
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
