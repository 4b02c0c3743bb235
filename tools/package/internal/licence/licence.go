// Package licence finds the licence of Slipstick, which its owner may add to the repository later. See [Find].
package licence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/licensecheck"

	"github.com/slipstick/slipstick/host/tools/package/internal/release"
)

// File is the name of the file at the top of the repository, and in packages.
const File = "LICENSE"

// unlisted is the name of a licence that SPDX does not list.
const unlisted = "LicenseRef-Slipstick"

// Licence is the licence of Slipstick. The zero value means that there is none yet.
type Licence struct {
	ID   string // of SPDX, such as MIT, or LicenseRef-Slipstick
	Text string
}

// certain is the smallest share of a text, in percent, that a licence of SPDX must cover.
const certain = 75

// Find reads the licence of the repository at root.
func Find(root string) (Licence, error) {
	text, err := os.ReadFile(filepath.Join(root, File))
	if errors.Is(err, fs.ErrNotExist) {
		return Licence{}, nil
	}
	if err != nil {
		return Licence{}, err
	}
	l := Licence{unlisted, strings.TrimSpace(string(text)) + "\n"}
	found := licensecheck.Scan(text)
	if len(found.Match) == 1 && !found.Match[0].IsURL && found.Percent >= certain {
		l.ID = found.Match[0].ID
	}
	return l, nil
}

// Exists reports whether there is a licence.
func (l Licence) Exists() bool { return l.ID != "" }

// Extracted returns the text for a bill of materials, or "" if SPDX has it.
func (l Licence) Extracted() string {
	if l.ID == unlisted {
		return l.Text
	}
	return ""
}

// Copyright returns the file with the copyright for packages.
func (l Licence) Copyright() []byte {
	terms := "The owner has not chosen a licence yet, so all rights are reserved.\n"
	if l.Exists() {
		terms = "Its licence, " + l.ID + ":\n\n" + l.Text
	}
	return fmt.Appendf(nil, `Slipstick, %s

Copyright 2026 the authors of Slipstick.
%s
The program contains software of others under licences of their own. Their
texts are in NOTICES, and sbom.spdx.json lists every part with its version.
`, release.Source, terms)
}
