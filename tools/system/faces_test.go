package system

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// outcome returns the outcome of a calculation from a response body: the bytes of its result, or the code of its
// error.
func outcome(body string) string {
	var b struct {
		Result json.RawMessage
		Code   string
	}
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		return "no answer: " + body
	}
	if b.Code != "" {
		return b.Code
	}
	return string(b.Result)
}

// Parts of pages.
var (
	shareText    = regexp.MustCompile(`<p class="address">([^<]*)</p>`)
	openLink     = regexp.MustCompile(`<a class="button primary" href="([^"]*)">Open in the calculator</a>`)
	csvLink      = regexp.MustCompile(`<a href="([^"]*)" data-csv download>`)
	errorCode    = regexp.MustCompile(`<p class="code"><a href="[^"]*">([A-Z_]+)</a></p>`)
	snapshotPath = regexp.MustCompile(`/s/cx_[A-Za-z0-9_-]+$`)
)

// found returns the match of the expression in a page, or "".
func found(part *regexp.Regexp, page string) string {
	m := part.FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[len(m)-1])
}

// onPage returns the outcome that a page shows.
func onPage(page string) string {
	if body := found(resultBlock, page); body != "" {
		return outcome(body)
	}
	if code := found(errorCode, page); code != "" {
		return code
	}
	return "no result: " + page
}

// page returns the page that a browser would get.
func (h *server) page(t *testing.T, address string) string {
	t.Helper()
	if !strings.HasPrefix(address, h.url) {
		address = h.url + address
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	_, body := answerTo(t, req)
	return body
}

func (h *server) getJSON(t *testing.T, path string, into any) {
	t.Helper()
	_, body := h.get(t, path)
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(path, err)
	}
}

// checkInterfaces makes sure that one typed number gives one bit-identical result over every interface, and also from a
// snapshot that is opened again. A bare JSON number gives one result too.
func (h *server) checkInterfaces(t *testing.T, registry string) {
	const times = 12
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	list := h.decimals(t, rand.New(rand.NewPCG(seed, 0)), times)
	results, rounded := 0, 0
	want := make([]string, len(list))
	for i := range list {
		q := &list[i]
		exact := interfaceCheck{t: t, host: h, typing: q}
		want[i] = exact.typed()
		if strings.HasPrefix(want[i], "{") {
			results++
		}
		if bare := exact.bare(); bare != want[i] {
			rounded++
		}
	}
	if results < len(list)/2 || rounded == 0 {
		t.Errorf("of %d calculations %d have a result, and %d another one with bare numbers", len(list), results, rounded)
	}
	h.checkBatches(t, registry, list, want)
	for i := 0; i < len(list); i += times {
		checkTables(t, registry, list[i:i+times], want[i:i+times])
	}
	t.Logf("%d calculations, %d with a result, %d with another one for bare numbers", len(list), results, rounded)
}

// interfaceCheck calls one calculation over every interface.
type interfaceCheck struct {
	t      *testing.T
	host   *server
	typing *typing
	want   string // the outcome of the first interface
}

// same makes sure that an interface has the same outcome as the first.
func (f *interfaceCheck) same(face, got string) {
	f.t.Helper()
	if f.want == "" {
		f.want = got
	} else if got != f.want {
		f.t.Errorf("%s %v, %s:\n%s\nwant %s", f.typing.tool, f.typing.texts, face, got, f.want)
	}
}

// typed returns the outcome of the typed texts, after all interfaces have answered.
func (f *interfaceCheck) typed() string {
	h, q, t := f.host, f.typing, f.t
	object := q.object(false)
	_, rest := h.post(t, "/api/v1/calc/"+q.tool, object)
	f.same("strings over REST", outcome(rest))
	executed, _ := h.tool(t, "execute_calculation", fmt.Sprintf(`{"capability_id":%q,"inputs":%s}`, q.tool, object))
	f.same("strings over MCP", outcome(executed))
	page := h.page(t, q.page+"?"+q.query())
	f.same("the page", onPage(page))
	_, posted := h.post(t, q.page, q.query(), "Content-Type", "application/x-www-form-urlencoded")
	f.same("the posted form", onPage(posted))
	if !strings.HasPrefix(f.want, "{") {
		return f.want
	}
	_, fragment := h.post(t, "/api/v1/calc/"+q.tool, object, "Accept", "text/html")
	f.same("the part of a page", onPage(fragment))
	f.same("the address to share", onPage(h.page(t, found(shareText, page))))
	_, created := h.post(t, q.page+"/freeze", q.query(), "Content-Type", "application/x-www-form-urlencoded")
	opened := f.reopen("what the page froze", created)
	f.sameCSV(page, posted, fragment, opened)
	return f.want
}

// bare returns the outcome of the same texts as bare JSON numbers.
func (f interfaceCheck) bare() string {
	f.want = ""
	h, q, t := f.host, f.typing, f.t
	object := q.object(true)
	_, rest := h.post(t, "/api/v1/calc/"+q.tool, object)
	f.same("numbers over REST", outcome(rest))
	executed, _ := h.tool(t, "execute_calculation", fmt.Sprintf(`{"capability_id":%q,"inputs":%s}`, q.tool, object))
	f.same("numbers over MCP", outcome(executed))
	if !strings.HasPrefix(f.want, "{") {
		return f.want
	}
	_, fragment := h.post(t, "/api/v1/calc/"+q.tool, object, "Accept", "text/html")
	f.same("the part of a page of numbers", onPage(fragment))
	_, created := h.post(t, "/api/v1/share", fmt.Sprintf(`{"tool_id":%q,"inputs":%s}`, q.tool, object))
	f.sameCSV(fragment, f.reopen("what REST froze", created))
	return f.want
}

// reopen returns the calculator with the inputs of a snapshot. It first compares the record, its page and the
// calculator with the other outcomes.
func (f *interfaceCheck) reopen(what, created string) (calculator string) {
	f.t.Helper()
	var record struct {
		ID     string
		Result json.RawMessage
		Links  struct{ Snapshot string }
	}
	if err := json.Unmarshal([]byte(created), &record); err != nil || !snapshotPath.MatchString(record.Links.Snapshot) {
		f.t.Fatalf("%s: %v in %s", what, err, created)
	}
	f.same(what, outcome(string(record.Result)))
	page := f.host.page(f.t, record.Links.Snapshot)
	f.same(what+", its page", onPage(page))
	link := found(openLink, page)
	if link == "" {
		f.t.Fatalf("%s cannot be opened in the calculator: %s", what, record.Result)
	}
	calculator = f.host.page(f.t, link)
	f.same(what+", opened in the calculator", onPage(calculator))
	f.sameCSV(page, calculator)
	return calculator
}

// sameCSV makes sure that the files of the plots on the pages are the same.
func (f *interfaceCheck) sameCSV(pages ...string) {
	f.t.Helper()
	var first string
	for i, page := range pages {
		link := found(csvLink, page)
		if link == "" {
			continue // there is no plot
		}
		_, file := f.host.get(f.t, link)
		if i == 0 {
			first = file
		}
		if file != first || strings.HasPrefix(file, "{") {
			f.t.Errorf("%s %v: the file of %s differs:\n%.500s\nwant\n%.500s", f.typing.tool, f.typing.texts, link, file, first)
		}
	}
}

// checkBatches sends all calculations in one batch over HTTP, and in one on the command line.
func (h *server) checkBatches(t *testing.T, registry string, list []typing, want []string) {
	t.Helper()
	var lines []string
	for i := range list {
		lines = append(lines, fmt.Sprintf(`{"id":%q,"inputs":%s}`+"\n", list[i].tool, list[i].object(false)))
	}
	text := strings.Join(lines, "")
	over := h.postLines(t, "?output=result", strings.NewReader(text))
	_, by := command(t, text, "calc", "--registry", registry, "--batch", "-", "--output", "result")
	local := slices.Collect(strings.Lines(by))
	for i := range list {
		for face, answers := range map[string][]string{"a batch over HTTP": over, "a batch of the command line": local} {
			if len(answers) != len(list) {
				t.Fatalf("%s has %d lines, want %d", face, len(answers), len(list))
			}
			if got := outcome(answers[i]); got != want[i] {
				t.Errorf("%s in %s: %s, want %s", strings.TrimSpace(lines[i]), face, got, want[i])
			}
		}
	}
}

// checkTables sends the calculations of one capability in a CSV file, and the last of them as arguments.
func checkTables(t *testing.T, registry string, list []typing, want []string) {
	t.Helper()
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	names, last := list[len(list)-1].cells()
	if err := w.Write(names); err != nil {
		t.Fatal(err)
	}
	for i := range list {
		_, cells := list[i].cells()
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	tool := list[0].tool
	_, out := command(t, file.String(), "calc", "--registry", registry, "--batch", "-", "--format", "csv", "--output", "result", tool)
	lines := slices.Collect(strings.Lines(out))
	if len(lines) != len(list) {
		t.Fatalf("%s: %d lines of %d: %s", tool, len(lines), len(list), out)
	}
	for i := range list {
		if got := outcome(lines[i]); got != want[i] {
			t.Errorf("%s %v in CSV: %s, want %s", tool, list[i].texts, got, want[i])
		}
	}
	args := []string{"calc", "--registry", registry, "--json", tool}
	for i, name := range names {
		args = append(args, name+"="+last[i])
	}
	_, out = command(t, "", args...)
	if outcome(out) != want[len(want)-1] {
		t.Errorf("%q: %s, want %s", args, out, want[len(want)-1])
	}
}

// command runs the built program. It is faster than this process, where the race detector slows down every read of
// a registry.
func command(t *testing.T, stdin string, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), built.slipstick, args...)
	cmd.Stdin = strings.NewReader(stdin)
	text, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}
