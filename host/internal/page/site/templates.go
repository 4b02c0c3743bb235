package site

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"sync"

	"github.com/slipstick/slipstick/host/internal/page/wording"
)

// files has the shared templates of all pages.
//
//go:embed templates
var files embed.FS

// Templates are the templates of a package of pages. They are parsed at the first use, because most commands show no page.
type Templates struct{ parsed func() *template.Template }

// Parse returns the shared templates and the templates in the folder templates of each source. A template that cannot be
// parsed panics at the first use.
func Parse(sources ...embed.FS) Templates {
	return Templates{sync.OnceValue(func() *template.Template {
		t := template.New("").Funcs(template.FuncMap{"formatName": wording.FormatName})
		for _, source := range append(sources, files) {
			template.Must(t.ParseFS(source, "templates/*.html"))
		}
		return t
	})}
}

// Execute fills a template.
func (t Templates) Execute(name string, view any) ([]byte, error) {
	var b bytes.Buffer
	err := t.Write(&b, name, view)
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Write fills a template and writes it.
func (t Templates) Write(w io.Writer, name string, view any) error {
	return t.parsed().ExecuteTemplate(w, name, view)
}
