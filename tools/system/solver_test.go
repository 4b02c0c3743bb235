package system

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

// solver is a simple agent. It sees the text of a task and the answers of the tools, and knows no capability. It
// searches with the text of the task. Then it assigns the quantities of the text to inputs, by their units and the
// words near them. Of the result it reads the output with the most words of the task.
type solver struct {
	t      *testing.T
	server *server
	calls  int

	sent, received int // bytes of requests and responses
}

// solverRevision is the revision of the protocol that the solver uses.
const solverRevision = "2025-11-25"

// call calls a tool and counts the call.
func (s *solver) call(tool string, arguments any) (body map[string]any, failed bool) {
	s.t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		s.t.Fatal(err)
	}
	request := toolCall(tool, string(encoded))
	status, text := s.server.post(s.t, "/mcp", request, "MCP-Protocol-Version", solverRevision)
	s.calls++
	s.sent, s.received = s.sent+len(request), s.received+len(text)
	var a toolAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil || status != 200 || a.Error != nil {
		s.t.Fatalf("%s %s: %d %s (%v)", tool, encoded, status, text, err)
	}
	if err := json.Unmarshal(a.Result.StructuredContent, &body); err != nil {
		s.t.Fatal(err)
	}
	return body, a.Result.IsError
}

// solution is the answer to a task: a value with its unit, or the reason why there is none.
type solution struct {
	tool, version string
	value         float64
	unit          string
	refused       string // error code, or NONE if no calculation fits
}

// maxCandidates is how many capabilities of a search the solver tries.
const maxCandidates = 3

// solve answers a task.
func (s *solver) solve(task string) solution {
	s.t.Helper()
	text := readTask(task)
	found, _ := s.call("search_capabilities", map[string]any{"query": task, "limit": maxCandidates})
	answer := solution{refused: "NONE"}
	for _, hit := range objects(found["capabilities"]) {
		id, _ := hit["capability_id"].(string)
		inputs := readInputs(hit)
		if len(inputs) == 0 {
			described, failed := s.call("describe_capability", map[string]any{"capability_id": id})
			if failed {
				continue
			}
			inputs = readInputs(described)
		}
		arguments, complete := text.assign(inputs)
		if !complete {
			continue
		}
		answer = s.compute(text, id, inputs, arguments)
		answer.tool, _ = hit["tool"].(string)
		if answer.refused != "MISSING_REQUIRED_INPUT" {
			return answer
		}
	}
	return answer
}

// compute calls a calculation or a study. If the service names an invalid input, it corrects that input.
func (s *solver) compute(text *taskText, id string, inputs []input, arguments *assignment) solution {
	s.t.Helper()
	for range 6 {
		body, failed := s.run(text, id, arguments)
		if !failed {
			return text.read(body, arguments)
		}
		code, _ := body["code"].(string)
		field, _ := body["field"].(string)
		if !arguments.correct(code, field, inputs) {
			return solution{refused: code}
		}
	}
	return solution{refused: "GIVEN_UP"}
}

// run sends the arguments to the tool that they need.
func (s *solver) run(text *taskText, id string, a *assignment) (body map[string]any, failed bool) {
	s.t.Helper()
	call := map[string]any{"capability_id": id, "inputs": a.values}
	if text.version != "" {
		call["calculation_version"] = text.version
	}
	switch {
	case len(a.vary) > 0:
		call["kind"], call["vary"] = "sweep", a.vary
	case len(a.uncertain) > 0:
		call["kind"], call["uncertain"] = "gum", a.uncertain
	default:
		return s.call("execute_calculation", call)
	}
	return s.call("run_study", call)
}

// input describes an input, as far as the solver understands it.
type input struct {
	name     string
	unit     string
	words    []string // of its description
	aliases  []string
	choices  []string
	presets  []string // tables and columns
	required bool
	list     bool
}

// readInputs reads the inputs of an answer. It knows a list of inputs and a JSON Schema, and joins them.
func readInputs(body map[string]any) (out []input) {
	schema, _ := body["input_schema"].(map[string]any)
	required := strings.Join(requiredNames(schema), " ")
	properties, _ := schema["properties"].(map[string]any)
	for _, o := range objects(body["inputs"]) {
		in := input{name: textIn(o["name"]), unit: textIn(o["unit"]), aliases: textsIn(o["aliases"]), choices: textsIn(o["choices"]), presets: textsIn(o["presets"])}
		in.required = o["required"] == true || slices.Contains(strings.Fields(required), in.name)
		for _, member := range []string{"label", "doc", "description"} {
			in.words = append(in.words, words(textIn(o[member]))...)
		}
		if property, ok := properties[in.name].(map[string]any); ok {
			in.words = append(in.words, words(textIn(property["description"]))...)
			in.choices = append(in.choices, textsIn(property["enum"])...)
			o = map[string]any{"own": o, "schema": property}
		}
		encoded, _ := json.Marshal(o)
		in.list = strings.Contains(string(encoded), `"array"`) || strings.Contains(string(encoded), `"list"`)
		out = append(out, in)
	}
	return out
}

// requiredNames returns the names that a schema requires, at the top and in anyOf and allOf.
func requiredNames(schema map[string]any) (names []string) {
	names = textsIn(schema["required"])
	for _, member := range []string{"allOf", "anyOf"} {
		for _, o := range objects(schema[member]) {
			names = append(names, requiredNames(o)...)
		}
	}
	return names
}

func objects(v any) (out []map[string]any) {
	list, _ := v.([]any)
	for _, one := range list {
		if o, ok := one.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

func textIn(v any) string {
	s, _ := v.(string)
	return s
}

func textsIn(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		out = append(out, fmt.Sprint(one))
	}
	return out
}

// quantity is a number in a task, or several with commas between them.
type quantity struct {
	values []float64
	unit   string
	spread float64  // after ±
	before []string // words before it, the nearest last
	after  []string // words after it
}

// taskText is a task, read once.
type taskText struct {
	words      []string // of the whole text
	tokens     []string // blank-separated, without punctuation
	quantities []quantity
	version    string
}

var (
	numberPattern  = regexp.MustCompile(`^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$`)
	versionPattern = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	wordPattern    = regexp.MustCompile(`[A-Za-z]+|\d+`)
)

// nouns are the nouns of English adjectives that describe a size.
var nouns = map[string]string{"long": "length", "wide": "width", "high": "height", "tall": "height", "deep": "depth", "thick": "thickness", "heavy": "mass", "amps": "current", "draw": "current"}

// words returns the words of a text in lower case.
func words(text string) (out []string) {
	for _, w := range wordPattern.FindAllString(text, -1) {
		w = strings.ToLower(w)
		if noun := nouns[w]; noun != "" {
			w = noun
		}
		out = append(out, w)
	}
	return out
}

// readTask splits a task into words and quantities.
func readTask(task string) *taskText {
	t := &taskText{words: words(task)}
	var raw []string
	for _, token := range strings.Fields(task) {
		raw = append(raw, token)
		t.tokens = append(t.tokens, strings.Trim(token, ".,:;?!"))
	}
	var before []string
	for i := 0; i < len(raw); {
		if versionPattern.MatchString(t.tokens[i]) {
			t.version = t.tokens[i]
			i++
			continue
		}
		if !numberPattern.MatchString(t.tokens[i]) {
			before = append(before, words(raw[i])...)
			if n := len(t.quantities); n > 0 && !t.quantities[n-1].closed() {
				t.quantities[n-1].after = append(t.quantities[n-1].after, words(raw[i])...)
			}
			if endsClause(raw[i]) {
				before = append(before, ",")
				if n := len(t.quantities); n > 0 {
					t.quantities[n-1].after = append(t.quantities[n-1].after, ",")
				}
			}
			i++
			continue
		}
		q, next := readQuantity(raw, t.tokens, i)
		q.before = before
		if last := len(t.quantities) - 1; last >= 0 && len(before) == 0 && t.quantities[last].continues(&q) {
			t.quantities[last].values = append(t.quantities[last].values, q.values...)
		} else {
			t.quantities = append(t.quantities, q)
		}
		before = nil
		if endsClause(raw[next-1]) {
			t.quantities[len(t.quantities)-1].after = append(t.quantities[len(t.quantities)-1].after, ",")
		}
		i = next
	}
	return t
}

// endsClause reports whether punctuation ends the token.
func endsClause(token string) bool { return strings.TrimRight(token, ",;:.?") != token }

// closed reports whether a comma follows the quantity.
func (q *quantity) closed() bool { return slices.Contains(q.after, ",") }

// continues reports whether the next quantity belongs to the list that ends with q.
func (q *quantity) continues(next *quantity) bool { return q.unit == next.unit && next.spread == 0 }

// readQuantity reads the number at i, its unit of up to three tokens, and what follows ±.
func readQuantity(raw, tokens []string, i int) (q quantity, next int) {
	number, _ := strconv.ParseFloat(tokens[i], 64)
	q.values, next = []float64{number}, i+1
	if strings.HasSuffix(raw[i], ",") {
		return q, next
	}
	for n := 3; n > 0; n-- {
		if i+n >= len(tokens) {
			continue
		}
		text := strings.Join(tokens[i+1:i+1+n], " ")
		if isUnit(text) && !strings.Contains(strings.Join(raw[i+1:i+n], " "), ",") {
			q.unit, next = text, i+1+n
			break
		}
	}
	if next+1 < len(tokens) && tokens[next] == "±" && numberPattern.MatchString(tokens[next+1]) {
		spread, after := readQuantity(raw, tokens, next+1)
		q.spread, next = spread.values[0], after
	}
	return q, next
}

// isUnit reports whether a text is a unit.
func isUnit(text string) bool {
	if len(units.Named(text)) > 0 || text == "%" {
		return true
	}
	if !strings.Contains(text, "/") {
		return false
	}
	_, err := units.Coherent(text)
	return err == nil
}

// fits reports whether a quantity with the unit can be sent for an input with another unit.
func fits(unit, of string) bool {
	if unit == "" || unit == "%" || of == "" || of == "1" {
		return (unit == "" || unit == "%") && (of == "" || of == "1")
	}
	for part := range strings.SplitSeq(of, " or ") {
		part, _, _ = strings.Cut(part, ",")
		for _, u := range units.Named(unit) {
			if _, ok := units.Spelled(part, u.Quantity); ok {
				return true
			}
		}
		one, err := units.Coherent(unit)
		other, failed := units.Coherent(part)
		if err == nil && failed == nil && (one == other || units.SameProduct(one, other)) {
			return true
		}
	}
	return false
}

// assignment is what the solver sends.
type assignment struct {
	values    map[string]any
	vary      map[string]any
	uncertain map[string]any
	sent      map[string]*quantity
	row       map[string][]string // tables that are left to try for an input
	token     map[string]string   // row of an input
}

// assign assigns quantities, choices and rows of tables to inputs. It reports whether every required input has a
// value.
func (t *taskText) assign(inputs []input) (*assignment, bool) {
	a := &assignment{map[string]any{}, map[string]any{}, map[string]any{}, map[string]*quantity{}, map[string][]string{}, map[string]string{}}
	t.assignChoices(a, inputs)
	t.assignQuantities(a, inputs)
	t.assignRows(a, inputs)
	for i := range inputs {
		in := &inputs[i]
		_, sent := a.values[in.name]
		if in.required && !sent && a.vary[in.name] == nil {
			return a, false
		}
	}
	return a, true
}

// assignChoices assigns the choice with the most words in the text to each input that has choices. A choice that is
// a unit must be a token of the text.
func (t *taskText) assignChoices(a *assignment, inputs []input) {
	used := map[int]bool{}
	for _, named := range []bool{true, false} { // a choice after the name of its input, such as "to bar", comes first
		for i := range inputs {
			in := &inputs[i]
			if _, sent := a.values[in.name]; sent {
				continue
			}
			for at, token := range t.tokens {
				after := at > 0 && strings.ToLower(t.tokens[at-1]) == in.name
				if !used[at] && slices.Contains(in.choices, token) && (after || !named) {
					a.values[in.name], used[at] = token, true
					break
				}
			}
		}
	}
	for i := range inputs {
		in := &inputs[i]
		best, most := "", 0.0
		for _, choice := range in.choices {
			if share := t.share(words(choice)); share > most {
				best, most = choice, share
			}
		}
		if _, sent := a.values[in.name]; !sent && best != "" && most > 0.6 {
			a.values[in.name] = best
		}
	}
}

// share returns the share of words that are in the text, a little more for many words.
func (t *taskText) share(of []string) float64 {
	found := 0
	for _, w := range of {
		if slices.ContainsFunc(t.words, func(other string) bool { return alike(w, other) }) {
			found++
		}
	}
	if found == 0 {
		return 0
	}
	return float64(found)/float64(len(of)) + float64(found)/100
}

// alike reports whether two words are forms of one word.
func alike(a, b string) bool {
	return a == b || min(len(a), len(b)) >= 5 && a[:5] == b[:5] || strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") && len(a) > 1
}

// assignQuantities assigns quantities to inputs with a fitting unit. The pairs with the most common words come first.
func (t *taskText) assignQuantities(a *assignment, inputs []input) {
	type pair struct {
		q, in int
		score float64
	}
	var pairs []pair
	for q := range t.quantities {
		for i := range inputs {
			in, one := &inputs[i], &t.quantities[q]
			_, chosen := a.values[in.name]
			if chosen || len(in.choices) > 0 || !fits(one.unit, in.unit) && !converts(a, inputs, one, in) {
				continue
			}
			score := one.score(in)
			if in.required {
				score += 1
			}
			if in.list {
				score++
			}
			pairs = append(pairs, pair{q, i, score - float64(i)/1000})
		}
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return int((y.score - x.score) * 1e6) })
	taken := map[int]bool{}
	for _, p := range pairs {
		in := &inputs[p.in]
		if taken[p.q] || a.sent[in.name] != nil {
			continue
		}
		taken[p.q] = true
		a.set(in, &t.quantities[p.q])
	}
}

// converts reports whether the unit of the quantity is a choice of another input, so that its number is sent alone.
func converts(a *assignment, inputs []input, q *quantity, in *input) bool {
	return in.unit == "" && q.unit != "" && slices.ContainsFunc(inputs, func(other input) bool { return a.values[other.name] == q.unit })
}

// set stores the quantity for the input, in the form of a value, a list or a study.
func (a *assignment) set(in *input, q *quantity) {
	a.sent[in.name] = q
	all := make([]any, len(q.values))
	for i, v := range q.values {
		switch {
		case q.unit == "%" && !slices.Contains(in.words, "percent"):
			all[i] = v / 100
		case q.unit == "" || q.unit == "%" || in.unit == "" || in.unit == "1":
			all[i] = v
		default:
			all[i] = map[string]any{"value": v, "unit": q.unit}
		}
	}
	switch {
	case in.list:
		a.values[in.name] = all
	case len(all) > 1:
		a.vary[in.name] = all
	default:
		a.values[in.name] = all[0]
	}
	if q.spread > 0 {
		a.uncertain[in.name] = map[string]any{"standard_uncertainty": q.spread}
	}
}

// score returns how well the words near the quantity name the input.
func (q *quantity) score(in *input) (score float64) {
	names := words(in.name)
	hit := make([]bool, len(names))
	look := func(w string, weight float64) {
		for i, name := range names {
			if alike(w, name) && !hit[i] {
				hit[i] = true
				score += 3 * weight
				return
			}
		}
		switch {
		case slices.ContainsFunc(in.aliases, func(alias string) bool {
			return slices.ContainsFunc(words(alias), func(x string) bool { return alike(w, x) })
		}):
			score += weight
		case slices.ContainsFunc(in.words, func(x string) bool { return len(w) > 3 && alike(w, x) }):
			score += weight / 2
		}
	}
	distance := 0
	for i := len(q.before) - 1; i >= 0 && distance < 8; i-- {
		if q.before[i] == "," {
			break
		}
		look(q.before[i], 1/(1+float64(distance)/4))
		distance++
	}
	for i, w := range q.after {
		if w == "," || i >= 4 {
			break
		}
		look(w, 0.6/(1+float64(i)/2))
	}
	for i := range hit {
		if !hit[i] {
			score -= 0.4
		}
	}
	return score
}

// rowPattern matches a word that can be a row of a table: letters and digits.
var rowPattern = regexp.MustCompile(`^[A-Z]+[A-Za-z]*\d+[A-Za-z0-9./-]*$`)

// assignRows assigns rows of tables to inputs without a value: required ones first, and one input for each row.
func (t *taskText) assignRows(a *assignment, inputs []input) {
	for _, token := range t.tokens {
		if !rowPattern.MatchString(token) {
			continue
		}
		for _, required := range []bool{true, false} {
			i := slices.IndexFunc(inputs, func(in input) bool {
				return in.required == required && len(in.presets) > 0 && a.values[in.name] == nil && a.vary[in.name] == nil
			})
			if i < 0 {
				continue
			}
			in := &inputs[i]
			for _, preset := range in.presets {
				table, _, _ := strings.Cut(preset, "#")
				a.row[in.name] = append(a.row[in.name], table)
			}
			a.token[in.name] = token
			a.next(in.name)
			break
		}
	}
}

// next sends the row of the next table for the input, and reports whether there was one.
func (a *assignment) next(name string) bool {
	tables := a.row[name]
	if len(tables) == 0 {
		return false
	}
	a.values[name] = map[string]any{"preset": tables[0] + "/" + a.token[name]}
	a.row[name] = tables[1:]
	return true
}

// correct changes the input that an error names, and reports whether it could.
func (a *assignment) correct(code, field string, inputs []input) bool {
	switch {
	case code == "PRESET_NOT_FOUND" || code == "INVALID_PRESET":
		return a.next(field)
	case code == "UNKNOWN_UNIT" || code == "INCOMPATIBLE_UNIT":
		q := a.sent[field]
		if q == nil || len(q.values) != 1 || a.values[field] == q.values[0] {
			return false
		}
		a.values[field] = q.values[0]
		return true
	}
	return false
}

// read returns the output with the most words of the task. Without one it returns the first output.
func (t *taskText) read(body map[string]any, a *assignment) solution {
	out := solution{version: textIn(body["calculation_version"])}
	if outputs := objects(body["outputs"]); len(outputs) > 0 {
		t.readStudy(&out, body, outputs)
		return out
	}
	result, _ := body["result"].(map[string]any)
	detail, _ := body["result_detail"].(map[string]any)
	shown := strings.Split(textIn(detail["formatted"]), "; ")
	best := ""
	most := -1.0
	for _, part := range shown {
		name, _, several := strings.Cut(part, "=")
		if !several {
			break
		}
		if a.sent[name] != nil {
			continue
		}
		if share := t.share(words(name)); share > most {
			best, most = part, share
		}
	}
	if best == "" && len(shown) > 0 {
		best = "=" + shown[0]
	}
	name, text, _ := strings.Cut(best, "=")
	number, unit, _ := strings.Cut(text, " ")
	out.value, _ = strconv.ParseFloat(number, 64)
	out.unit = unit
	for _, other := range sortedKeys(result) { // an output that is not shown
		v, ok := result[other].(float64)
		if ok && !strings.Contains(textIn(detail["formatted"]), other+"=") && a.sent[other] == nil && t.share(words(other)) > max(most, 0.99) && other != name {
			out.value, out.unit, most = v, "", t.share(words(other))
		}
	}
	return out
}

func sortedKeys(m map[string]any) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// readStudy reads the last row of a sweep, or the standard uncertainty of a budget.
func (t *taskText) readStudy(out *solution, body map[string]any, outputs []map[string]any) {
	at := 0
	for i, o := range outputs {
		if t.share(words(textIn(o["name"]))) > t.share(words(textIn(outputs[at]["name"]))) {
			at = i
		}
	}
	out.unit = textIn(outputs[at]["unit"])
	if rows := objects(body["rows"]); len(rows) > 0 {
		results, _ := rows[len(rows)-1]["result"].([]any)
		if at < len(results) {
			out.value, _ = results[at].(float64)
		}
	}
	if budget := objects(body["budget"]); len(budget) > at {
		out.value, _ = budget[at]["standard_uncertainty"].(float64)
	}
}
