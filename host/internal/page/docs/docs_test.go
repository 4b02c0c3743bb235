package docs_test

import (
	"strings"
	"testing"
	"testing/fstest"

	documentation "github.com/slipstick/slipstick/docs"
	"github.com/slipstick/slipstick/host/internal/page/docs"
)

func tree(t testing.TB, files map[string]string) (*docs.Tree, error) {
	t.Helper()
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return docs.Read(all)
}

// Every page of this program can be read: the index lists it, and its links lead somewhere.
func TestDocumentation(t *testing.T) {
	tree, err := docs.Read(documentation.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range tree.Pages() {
		if page.Title == "" || page.Summary == "" {
			t.Errorf("%s has no title or no first paragraph", page.Path)
		}
	}
}

const index = "# Docs\n\nAll pages.\n\n## Start\n\n- [First](start/first.md)\n- [API](reference/api.md#errors)\n"

func TestRead(t *testing.T) {
	for name, tt := range map[string]struct {
		change map[string]string
		want   string
	}{
		"complete":       {nil, ""},
		"no index":       {map[string]string{"README.md": ""}, "has no README.md"},
		"unlisted":       {map[string]string{"start/second.md": "# Second\n"}, "README.md does not list start/second.md"},
		"page":           {map[string]string{"start/first.md": "# First\n\n[x](../nothing.md)\n"}, "start/first.md: the link ../nothing.md leads nowhere"},
		"anchor":         {map[string]string{"start/first.md": "# First\n\n[x](../reference/api.md#none)\n"}, "reference/api.md has no heading #none"},
		"own anchor":     {map[string]string{"start/first.md": "# First\n\n[x](#none)\n"}, "start/first.md has no heading #none"},
		"other place":    {map[string]string{"start/first.md": "# First\n\n[x](../../SECURITY.md) [y](https://example.org)\n"}, ""},
		"picture":        {map[string]string{"start/first.md": "# First\n\n![x](x.png)\n", "start/x.png": "PNG"}, ""},
		"missing image":  {map[string]string{"start/first.md": "# First\n\n![x](x.png)\n"}, "leads nowhere"},
		"child of a dir": {map[string]string{"log/README.md": "# Log\n\nAll.\n", "log/0001-x.md": "# X\n", "README.md": index + "- [Log](log/README.md)\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"README.md": index, "start/first.md": "# First\n\nThe [errors](../reference/api.md#errors).\n", "reference/api.md": "# API\n\nAll.\n\n## Errors\n\nAll errors.\n",
			}
			for file, text := range tt.change {
				files[file] = text
				if text == "" {
					delete(files, file)
				}
			}
			_, err := tree(t, files)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestSearch(t *testing.T) {
	found, err := tree(t, map[string]string{
		"README.md":        index,
		"start/first.md":   "# First\n\nText about a pin.\n\n## Pins\n\nA pin names a version.\n",
		"reference/api.md": "# API\n\nAll.\n\n## Errors\n\nA wrong pin of a *version* is `VERSION_MISMATCH`.\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"pins":               "/docs/start/first#pins",
		"version_mismatch":   "/docs/reference/api#errors",
		"wrong pin":          "/docs/reference/api#errors",
		"mismatch zzz":       "/docs/reference/api#errors",
		"All":                "/docs",
		"zzz":                "",
		"?":                  "",
		"<script>alert(1)</": "",
	} {
		got := ""
		if list := found.Search(question); len(list) > 0 {
			got = list[0].Page.Path
			if list[0].ID != "" && list[0].Title != "" {
				got += "#" + list[0].ID
			}
		}
		if got != want {
			t.Errorf("Search(%q) = %q, want %q", question, got, want)
		}
	}
}
