package take

import (
	"fmt"
	"io"
	"strings"
	"text/template"
	"unicode/utf16"
)

// Call is a request that can be made again.
type Call struct {
	Tool, Version string
	Engine        string // digest
	URL           string // of POST
	Inputs        string // a JSON object on one line
}

// Language is what a program is written in.
type Language string

// The languages, by the ends of their files. A shell calls curl.
const (
	Shell      Language = "sh"
	Python     Language = "py"
	JavaScript Language = "mjs"
	Go         Language = "go"
)

// Program writes a program that makes the call, and prints the answer as it comes: with every
// digit. It needs nothing but what comes with its language.
func Program(w io.Writer, l Language, c *Call) error {
	written := *c
	written.Inputs = ascii(c.Inputs)
	return programs[l].Execute(w, &written)
}

var programs = map[Language]*template.Template{
	Shell: program("#", `curl --fail-with-body --silent --show-error {{shell .URL}} \
  -H 'Content-Type: application/json' -H {{shell (print "Service-Spec-Version: " .Version)}} \
  -d {{shell .Inputs}}
`),
	Python: program("#", `import urllib.request

request = urllib.request.Request(
    {{quote .URL}},
    data={{quote .Inputs}}.encode(),
    headers={"Content-Type": "application/json", "Service-Spec-Version": {{quote .Version}}},
)
with urllib.request.urlopen(request) as answer:
    print(answer.read().decode())
`),
	JavaScript: program("//", `const answer = await fetch({{quote .URL}}, {
  method: "POST",
  headers: { "Content-Type": "application/json", "Service-Spec-Version": {{quote .Version}} },
  body: {{quote .Inputs}},
});
const text = await answer.text();
if (!answer.ok) throw new Error(text);
console.log(text);
`),
	Go: program("//", `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest("POST", {{quote .URL}}, strings.NewReader({{quote .Inputs}}))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Service-Spec-Version", {{quote .Version}})
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		log.Fatal(answer.Status)
	}
}
`),
}

func program(comment, text string) *template.Template {
	head := comment + " {{.Tool}}@{{.Version}}, engine {{.Engine}}\n"
	return template.Must(template.New("").Funcs(template.FuncMap{"quote": quote, "shell": shell}).Parse(head + text))
}

// quote is a text of ASCII between quotes, in Python, JavaScript and Go alike.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// ascii writes a JSON text in ASCII: only strings have other signs, and there they can be escaped.
func ascii(json string) string {
	var b strings.Builder
	for _, r := range json {
		if r <= '~' {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

func shell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
