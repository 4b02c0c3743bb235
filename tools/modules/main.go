// Command modules packs the modules of this repository for Go. It writes a tree of files that serves as a
// module proxy, see https://go.dev/ref/mod#goproxy-protocol.
//
//	go run ./modules -version 1.2.3 -out DIR [-tag] [MODULE...]
//
// It packs only committed files. In a clone it commits go.mod files that require
// the released versions of other modules instead of replace directives. It packs each
// module from such a commit. The same revision gives the same bytes, which are also the bytes that a
// proxy makes from the tags. With -tag it adds the tags (sdk/v1.2.3, ...) to the repository. It prints
// the lines for go.sum.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// modulePrefix is the common prefix of all module paths.
const modulePrefix = "github.com/slipstick/slipstick/"

// all are the modules that other modules use, in the order of their imports.
var all = []string{"versions", "sdk", "conformance", "registry", "host"}

func main() {
	var r release
	flag.StringVar(&r.repository, "repository", "", "root of the repository; the default contains the current directory")
	flag.StringVar(&r.version, "version", "", "of the release, such as 1.2.3")
	flag.StringVar(&r.out, "out", "", "directory of the proxy, which may have other versions already")
	flag.BoolVar(&r.tag, "tag", false, "tag the modules in the repository")
	flag.Parse()
	if err := r.run(os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

// release is one release of modules.
type release struct {
	repository, version, out string
	tag                      bool
}

func (r *release) run(w io.Writer, modules []string) (err error) {
	if len(modules) == 0 {
		modules = all
	}
	if r.out == "" {
		return fmt.Errorf("-out DIR: where is the proxy made?")
	}
	if v := "v" + r.version; semver.Canonical(v) != v || module.CheckPathMajor(v, "") != nil {
		return fmt.Errorf("-version %q is none that these modules can have, such as 1.2.3 or 1.3.0-rc.1", r.version)
	}
	c, err := clone(r.repository)
	if err != nil {
		return err
	}
	defer c.close()
	var sums []string // lines of go.sum
	for _, name := range modules {
		m := module.Version{Path: modulePrefix + name, Version: "v" + r.version}
		if err := c.require(name, m.Version, sums); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		of, err := c.pack(name, m, r.out)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sums = append(sums, of...)
		if r.tag {
			if err := c.tag(name + "/" + m.Version); err != nil {
				return err
			}
		}
	}
	_, err = io.WriteString(w, strings.Join(sums, ""))
	return err
}
