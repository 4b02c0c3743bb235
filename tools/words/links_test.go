package words_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/slipstick/slipstick/docs"
)

var (
	htmlAnchor = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)

	// mention is a page of documentation as comments, messages, help texts and settings name it.
	mention = regexp.MustCompile(`\bdocs/[\w./-]*\w\.md(?:#[\w-]+)?`)
)

// Every relative link in Markdown leads to a file of the repository, and to a heading if it has an anchor. The same
// holds for pages that other files name, such as comments and help texts.
func TestLinks(t *testing.T) {
	tracked := trackedFiles(t)
	anchors := map[string][]string{}
	check := func(from, target string) {
		name, anchor, hasAnchor := strings.Cut(target, "#")
		if name == "" {
			name = from
		}
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || !info.IsDir() && !tracked[name] {
			t.Errorf("%s: the repository has no %s", from, name)
			return
		}
		if !hasAnchor || path.Ext(name) != ".md" {
			return
		}
		if _, ok := anchors[name]; !ok {
			anchors[name] = anchorsOf(read(t, name))
		}
		if !slices.Contains(anchors[name], anchor) {
			t.Errorf("%s: %s has no heading #%s", from, name, anchor)
		}
	}
	links := 0
	for name := range tracked {
		if strings.Contains(name, "testdata/") || strings.HasPrefix(name, "tools/words/") && path.Ext(name) == ".go" {
			continue // examples of tests
		}
		source := read(t, name)
		for _, target := range mention.FindAllString(string(source), -1) {
			links++
			check(name, target)
		}
		if path.Ext(name) != ".md" {
			continue
		}
		for _, target := range destinations(source) {
			if strings.Contains(target, ":") || strings.HasPrefix(target, "/") {
				continue // a URL, or a path of a server
			}
			links++
			if !strings.HasPrefix(target, "#") {
				target = path.Join(path.Dir(name), target)
			}
			check(name, target)
		}
	}
	if links < 200 {
		t.Errorf("only %d links were found", links)
	}
}

var (
	testCommand = regexp.MustCompile(`go test ([^` + "`\n" + `]* )?-run '?([\w\\|]{2,})[^` + "`\n" + `]*`)
	testPackage = regexp.MustCompile(` \./[\w/]+`)
	testName    = regexp.MustCompile(`(?m)^func (Test\w*)\(`)
)

// Every command in Markdown that runs tests of a package by name runs at least one test for each name.
func TestCommandsRunTests(t *testing.T) {
	tracked := trackedFiles(t)
	names := map[string]string{} // tests by package without its module
	for name := range tracked {
		if strings.HasSuffix(name, "_test.go") {
			_, dir, _ := strings.Cut(path.Dir(name), "/")
			for _, found := range testName.FindAllSubmatch(read(t, name), -1) {
				names[dir] += string(found[1]) + "\n"
			}
		}
	}
	commands := 0
	for name := range tracked {
		if path.Ext(name) != ".md" || strings.HasPrefix(name, "plugins/") { // a page of plugins has a command for an old commit
			continue
		}
		for _, command := range testCommand.FindAllSubmatch(read(t, name), -1) {
			dir := strings.TrimPrefix(testPackage.FindString(string(command[0])), " ./")
			if dir == "" {
				continue // the package of the current directory
			}
			commands++
			for test := range strings.SplitSeq(strings.ReplaceAll(string(command[2]), `\`, ""), "|") {
				if !regexp.MustCompile(test).MatchString(names[dir]) {
					t.Errorf("%s: the package %s has no test %s: %s", name, dir, test, command[0])
				}
			}
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands were found", commands)
	}
}

// trackedFiles returns the files of the repository, with new ones and without deleted ones.
func trackedFiles(t *testing.T) map[string]bool {
	t.Helper()
	list, err := git(t, "ls-files", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]bool{}
	for name := range strings.Lines(list) {
		name = strings.TrimSuffix(name, "\n")
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			files[name] = true
		}
	}
	return files
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// destinations returns the targets of the links and images of a Markdown file.
func destinations(source []byte) (targets []string) {
	walk(source, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			targets = append(targets, string(n.Destination))
		case *ast.Image:
			targets = append(targets, string(n.Destination))
		}
	})
	return targets
}

// anchorsOf returns the anchors in a Markdown file. GitHub makes them from headings, and HTML can have further ones.
func anchorsOf(source []byte) (anchors []string) {
	seen := map[string]int{}
	walk(source, func(n ast.Node) {
		heading, ok := n.(*ast.Heading)
		if !ok {
			return
		}
		anchor := docs.Slug(textOf(heading, source))
		if times := seen[anchor]; times > 0 {
			anchors = append(anchors, anchor+"-"+strconv.Itoa(times))
		} else {
			anchors = append(anchors, anchor)
		}
		seen[anchor]++
	})
	for _, match := range htmlAnchor.FindAllSubmatch(source, -1) {
		anchors = append(anchors, string(match[1]))
	}
	return anchors
}

func walk(source []byte, visit func(ast.Node)) {
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	// The walk returns no error of its own.
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// textOf returns the text of a heading without its markup.
func textOf(n ast.Node, source []byte) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(source))
		case *ast.String:
			b.Write(c.Value)
		default:
			b.WriteString(textOf(c, source))
		}
	}
	return b.String()
}

func TestAnchors(t *testing.T) {
	got := anchorsOf([]byte("# The `calc` call, HTTP/1.1\n\n## Limits\n\n## Limits\n\n<a id=\"old\"></a>\n\n```\n# no heading\n```\n"))
	if want := []string{"the-calc-call-http11", "limits", "limits-1", "old"}; !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
	if got := destinations([]byte("[a](b.md#c) ![d](e.png) `[f](g.md)`")); !slices.Equal(got, []string{"b.md#c", "e.png"}) {
		t.Errorf("links %q", got)
	}
}
