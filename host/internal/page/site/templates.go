package site

import (
	"bytes"
	"embed"
	"html/template"
	"io"

	"github.com/slipstick/slipstick/host/internal/page/wording"
)

// files has the shared templates of all pages.
//
//go:embed templates
var files embed.FS

// Templates are parsed templates.
type Templates struct{ of *template.Template }

// Parse parses the shared templates and the templates in the folder templates of each source.
func Parse(sources ...embed.FS) Templates {
	t := template.New("").Funcs(template.FuncMap{"formatName": wording.FormatName})
	for _, source := range append(sources, files) {
		template.Must(t.ParseFS(source, "templates/*.html"))
	}
	return Templates{t}
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
	return t.of.ExecuteTemplate(w, name, view)
}
