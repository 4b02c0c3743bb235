// Command modules packs the modules of this repository for Go. It writes a tree of files that serves as a
// module proxy, see https://go.dev/ref/mod#goproxy-protocol.
//
//	go run ./modules -version 1.2.3 -out DIR [-tag] [MODULE...]
//
// It packs only committed files. Between releases, the go.mod files require the modules of the last release.
// The command makes a commit with go.mod files that require the new version, in a clone. It packs
// the modules from that commit. The same revision gives the same bytes, which are also the bytes that a
// proxy makes from the tags. With -tag, the current branch gets the commit, and the commit
// gets the tags v1.2.3, sdk/v1.2.3, ... It prints the lines for go.sum.
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

// all are the published modules, in the order of their imports.
var all = []string{"versions", "sdk", "docs", "conformance", "registry", "host"}

func main() {
	var r release
	flag.StringVar(&r.repository, "repository", "", "root of the repository; the default contains the current directory")
	flag.StringVar(&r.version, "version", "", "of the release, such as 1.2.3")
	flag.StringVar(&r.out, "out", "", "directory of the proxy, which may have other versions already")
	flag.BoolVar(&r.tag, "tag", false, "commit the requirements to the current branch, and tag the modules")
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
		err := c.require(name, m.Version, sums)
		if err == nil {
			err = c.commit(m.Version)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		of, err := pack(c.dir, "HEAD", name, m, c.at, r.out)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sums = append(sums, of...)
	}
	if r.tag {
		err := c.publish(modules, "v"+r.version)
		if err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, strings.Join(sums, ""))
	return err
}
