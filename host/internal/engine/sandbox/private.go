package sandbox

import (
	"fmt"
	"slices"
)

// Private is a file or directory of the server that no engine may ever read.
type Private struct {
	Name string // for people: "data directory"
	Path string // a file or a directory with everything in it; it need not exist yet

	// Secret means that the content must stay secret. A hard link to a secret file can be anywhere.
	// So while a secret file has one, no engine may read anything on that file system. Published
	// files are not secret: registries and their mirrors share files by hard links.
	Secret bool
}

// ServerFiles are the files and directories of a server that engines may not read. A path is empty
// if no setting names the file.
type ServerFiles struct {
	Data       string // directory with the keys that sign snapshots
	Registry   string // directory; empty for a remote registry
	Mirror     string // directory with the files that were fetched from remote registries
	Trust      string
	Checkpoint string
	Lock       string
	Settings   string
	Key        string // signing key of the releases that are published
	Ledger     string // directory with the answers of the server
}

// Private lists the files that are named. Registries and their mirrors are not secret, because
// their content is public: a hard link at another path may show it.
func (f *ServerFiles) Private() []Private {
	return slices.DeleteFunc([]Private{
		{Name: "data directory", Path: f.Data, Secret: true},
		{Name: "registry", Path: f.Registry},
		{Name: "mirror", Path: f.Mirror},
		{Name: "trust file", Path: f.Trust, Secret: true},
		{Name: "checkpoint", Path: f.Checkpoint, Secret: true},
		{Name: "lock file", Path: f.Lock, Secret: true},
		{Name: "settings file", Path: f.Settings, Secret: true},
		{Name: "signing key", Path: f.Key, Secret: true},
		{Name: "ledger", Path: f.Ledger, Secret: true},
	}, func(p Private) bool { return p.Path == "" })
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
	Asked    string // the path that would be shown: a path of the release, or a mount below it
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
	return fmt.Sprintf("the release wants to read %s, which %s the %s of the server (%s); %s", e.Asked, e.Relation, e.Private.Name, at, remedy)
}
