package api

import (
	"bytes"
	"html/template"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// problemPage explains one code to a person.
var problemPage = template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}: {{.Code}}</title>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p><code>{{.Code}}</code>, HTTP status {{.HTTPStatus}}. {{if .Recoverable}}A corrected or repeated request can succeed.{{else}}The same request will not succeed.{{end}}</p>
<h2>Cause</h2>
<p>{{.Cause}}</p>
<h2>What to do</h2>
<p>{{.Remedy}}</p>
{{with .DeclaredBy}}<h2>Answered by</h2>
<ul>
{{range .}}<li><a href="/api/v1/capabilities/{{.}}">{{.}}</a></li>
{{end}}</ul>
{{end}}</main>
</body>
</html>
`))

// getProblem answers the type URIs of problems: a page for browsers, JSON for others.
func (s *server) getProblem(w http.ResponseWriter, r *http.Request) error {
	doc, ok := s.service.Catalog().Code(r.PathValue("slug"))
	if !ok {
		return calc.NewProblem(calc.CodeNotFound, "The last part of the address is a code in kebab case, such as invalid-number.",
			"there is no problem of this name")
	}
	if !accepts(r, "text/html") {
		return writeDescription(w, r, doc)
	}
	var page bytes.Buffer
	if err := problemPage.Execute(&page, doc); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	write(w, http.StatusOK, []string{"text/html; charset=utf-8"}, page.Bytes())
	return nil
}
