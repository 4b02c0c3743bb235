package archive

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/tools/package/internal/release"
)

// Build is how the packages of a release were made.
type Build struct {
	Commit string // complete id
	Go     string // version, such as go1.26.0
}

// statement is an in-toto statement, version 1, with the provenance of SLSA, version 1.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string `json:"name"`
	Digest digest `json:"digest"`
}

type digest struct {
	SHA256 string `json:"sha256,omitempty"`
	Commit string `json:"gitCommit,omitempty"`
}

type predicate struct {
	Definition definition `json:"buildDefinition"`
	Run        struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	} `json:"runDetails"`
}

type definition struct {
	Type         string            `json:"buildType"`
	Parameters   map[string]string `json:"externalParameters"`
	Dependencies []dependency      `json:"resolvedDependencies"`
}

type dependency struct {
	URI    string  `json:"uri"`
	Digest *digest `json:"digest,omitempty"`
}

func subjectOf(name, sum string) subject { return subject{name, digest{SHA256: sum}} }

// Provenance writes a statement about all files in a directory, and returns its file. It names the commit, the version of
// Go, and the command that makes the same bytes again. It has no time, so the same release gives the same bytes.
func Provenance(dir string, r *release.Release, b Build) (string, error) {
	file := filepath.Join(dir, "slipstick-"+r.Version+".provenance.json")
	if err := os.RemoveAll(file); err != nil {
		return "", err
	}
	files, err := digests(dir)
	if err != nil {
		return "", err
	}
	const command = "/blob/main/scripts/package"
	s := statement{
		Type: "https://in-toto.io/Statement/v1", Subject: files, PredicateType: "https://slsa.dev/provenance/v1",
		Predicate: predicate{Definition: definition{
			Type: release.Source + command, Parameters: map[string]string{"version": r.Version, "command": "scripts/package all --version " + r.Version},
			Dependencies: []dependency{
				{"git+" + release.Source, &digest{Commit: b.Commit}}, {"pkg:golang/stdlib@" + b.Go, nil},
			},
		}},
	}
	s.Predicate.Run.Builder.ID = release.Source + command
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return "", err
	}
	return file, os.WriteFile(file, append(data, '\n'), 0o644)
}
