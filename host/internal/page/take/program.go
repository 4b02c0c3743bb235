package take

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"text/template"
	"unicode/utf16"
)

// Call is a request that a reader can repeat.
type Call struct {
	Tool, Version string
	Engine        string // digest
	URL           string // of POST
	Inputs        string // a JSON object on one line
	Value         string // URL of the first headline as text
	Table         string // URL that accepts tables
}

// Language is the language of a program.
type Language string

// Languages, by the extensions of their files. A shell script calls curl.
const (
	Shell        Language = "sh"
	Python       Language = "py"
	JavaScript   Language = "mjs"
	Go           Language = "go"
	Formulas     Language = "txt" // of spreadsheets
	OfficeScript Language = "ts"
	AppsScript   Language = "gs"
)

// Program writes a program that makes the call, and prints the answer with every digit. It only needs the standard library of
// its language. Scripts for spreadsheets let the same version compute a table.
func Program(w io.Writer, l Language, c *Call) error {
	written := *c
	written.Inputs = ascii(c.Inputs)
	return programs()[l].Execute(w, &written)
}

// programs are parsed at the first use, because most commands show no page.
var programs = sync.OnceValue(func() map[Language]*template.Template {
	return map[Language]*template.Template{
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
		Formulas: program("", formulas), OfficeScript: program("//", officeScript), AppsScript: program("//", appsScript),
	}
})

const formulas = `Excel and LibreOffice Calc, as a number:
=NUMBERVALUE(WEBSERVICE({{cell .Value}}),".")

Excel and LibreOffice Calc, as text, with an error message for invalid inputs:
=WEBSERVICE({{cell (print .Value "&errors=text")}})

Google Sheets:
=IMPORTDATA({{cell .Value}})

To take an input from a cell, split the text at its value: "...?V="&ENCODEURL(A2)&"&R=8".
`

const officeScript = `// Select a table and run this script. The first row must have the names of inputs, with units such as L [ft].
// The script writes the table with its results to a new sheet.
async function main(workbook: ExcelScript.Workbook) {
  const quote = (cell: string | number | boolean) => '"' + String(cell).replace(/"/g, '""') + '"';
  const table = workbook.getSelectedRange().getValues().map((row) => row.map(quote).join(",")).join("\n");
  const answer = await fetch({{quote .Table}}, { method: "POST", headers: { "Content-Type": "text/csv" }, body: table });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  const rows: (string | number)[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g;
  for (let found = cell.exec(text); found && found.index < text.length; found = cell.exec(text)) {
    const value = found[1] === undefined ? found[2] : found[1].replace(/""/g, '"');
    rows[rows.length - 1].push(value !== "" && isFinite(Number(value)) ? Number(value) : value);
    if (found[3] === "\n") rows.push([]);
  }
  rows.pop();
  const sheet = workbook.addWorksheet();
  sheet.getRangeByIndexes(0, 0, rows.length, rows[0].length).setValues(rows);
  sheet.activate();
}
`

const appsScript = `/**
 * Computes a table: ={{function .Tool}}(A1:C20)
 * The first row must have the names of inputs, with units such as L [ft].
 *
 * @param {any[][]} table the table
 * @return {any[][]} the table with result columns
 * @customfunction
 */
function {{function .Tool}}(table) {
  const quote = (cell) => '"' + String(cell).replace(/"/g, '""') + '"';
  const answer = UrlFetchApp.fetch({{quote .Table}}, {
    method: "post",
    contentType: "text/csv",
    payload: table.map((row) => row.map(quote).join(",")).join("\n"),
    muteHttpExceptions: true,
  });
  if (answer.getResponseCode() !== 200) throw new Error(answer.getContentText());
  return Utilities.parseCsv(answer.getContentText()).map((row) =>
    row.map((cell) => (cell !== "" && isFinite(cell) ? Number(cell) : cell)));
}
`

func program(comment, text string) *template.Template {
	head := strings.TrimSpace(comment+" {{.Tool}}@{{.Version}}, engine {{.Engine}}") + "\n"
	return template.Must(template.New("").Funcs(template.FuncMap{"quote": quote, "shell": shell, "cell": cell, "function": function}).Parse(head + text))
}

// maxCellText is the maximum number of characters of a text in a formula of Excel.
const maxCellText = 255

// cell returns a text for a formula, in pieces if it is long.
func cell(text string) string {
	var pieces []string
	for len(text) > maxCellText {
		pieces, text = append(pieces, text[:maxCellText]), text[maxCellText:]
	}
	return `"` + strings.Join(append(pieces, text), `"&"`) + `"`
}

// function returns the name of the spreadsheet function for a tool.
func function(tool string) string { return strings.ToUpper(strings.ReplaceAll(tool, "-", "_")) }

// quote returns an ASCII text in quotes, with an escaping that Python, JavaScript and Go share.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// ascii writes a JSON text in ASCII. Only strings have other characters, and they can be escaped there.
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
