package typed

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// A list is cut in one way for the whole text. If the text contains line ends, semicolons or tabs, they
// separate values: commas and blanks then belong to the values. Otherwise commas or blanks separate. The
// same holds for the values of a row. Commas and blanks also occur within numbers. Such a text is cut in
// each possible way, and is refused unless exactly one way gives values.

// layout is one way to cut a text: the texts of values, in rows. A list of single values has one row.
type layout [][]string

// Blank is the text of an omitted value before another value of a row.
const Blank = "-"

// IsRow reports whether a field is written as a row of several values.
func IsRow(f *sdk.Field) bool { return f.Type == sdk.TypeArray || f.Type == sdk.TypeObject }

// pieces cuts a text at semicolons and line ends, and at tabs if tabs is set. A line end directly after
// another separator is part of it.
func pieces(text string, tabs bool) []string {
	isMark := func(c byte) bool { return c == ';' || c == '\n' || c == '\r' || tabs && c == '\t' }
	var list []string
	from := 0
	for i := 0; i < len(text); i++ {
		if !isMark(text[i]) {
			continue
		}
		list = append(list, strings.Trim(text[from:i], " "))
		if text[i] == ';' || text[i] == '\t' {
			rest := strings.TrimLeft(text[i+1:], " ")
			if rest != "" && (rest[0] == '\n' || rest[0] == '\r') {
				i = len(text) - len(rest)
			}
		}
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		from = i + 1
	}
	return append(list, strings.Trim(text[from:], " "))
}

// list reads a list, or the single row of an object.
func (r reader) list(f *sdk.Field, text string) (strictjson.Value, *TextError) {
	ways, unit := r.cut(f, text)
	if unit != "" {
		r.unit = unit
	}
	v, _, err := r.choose(f, text, ways)
	return v, err
}

// choose reads a text in each way, and returns the only way that gives values.
func (r reader) choose(f *sdk.Field, text string, ways []layout) (strictjson.Value, layout, *TextError) {
	var (
		v        strictjson.Value
		chosen   layout
		readings []string
		first    *TextError // the error of the first way without values
		doubtful *TextError // the error of a value with two readings
	)
	for _, way := range ways {
		read, err := r.read(f, way)
		if err != nil {
			if first == nil {
				first = err
			}
			isWhole := len(err.Path) == 0 || len(way) == 1 && len(way[0]) == 1
			switch {
			case err.Problem == Ambiguous && !isWhole:
				doubtful = err
			case err.Problem == Ambiguous && len(ways) > 1:
				readings = append(readings, err.Readings...)
			}
			continue
		}
		if len(ways) == 1 {
			return read, way, nil
		}
		if written := listed(f, read, way); !slices.Contains(readings, written) {
			v, chosen, readings = read, way, append(readings, written)
		}
	}
	switch {
	case len(readings) > 1:
		return v, nil, &TextError{Problem: Ambiguous, Text: text, Readings: readings, Field: f}
	case doubtful != nil:
		return v, nil, doubtful
	case chosen == nil:
		if len(first.Path) == 0 && first.Problem == Ambiguous {
			first.Text = text
		}
		return v, nil, first
	}
	return v, chosen, nil
}

// cut returns the ways in which a text can be cut, at least one, and the unit in a heading.
func (r reader) cut(f *sdk.Field, text string) (ways []layout, unit string) {
	text = strings.Trim(text, " \r\n")
	if f.Type == sdk.TypeArray && IsRow(f.Items) {
		return r.cutRows(f.Items, whole(pieces(text, false))), ""
	}
	if parts := pieces(text, true); len(parts) > 1 {
		parts = whole(parts)
		if f.Type == sdk.TypeArray && len(parts) > 1 {
			unit = heading(f.Items, parts[0])
			if unit != "" {
				parts = parts[1:]
			}
		}
		return []layout{{parts}}, unit
	}
	if f.Type == sdk.TypeObject {
		return r.cutRows(f, []string{text}), ""
	}
	return r.cutLines([]string{text}, isNumber(f.Items), hasUnit(f.Items)), ""
}

// whole removes an empty part after the last separator.
func whole(parts []string) []string {
	if last := len(parts) - 1; last > 0 && parts[last] == "" {
		return parts[:last]
	}
	return parts
}

// cutRows returns the ways to cut lines into rows with a valid number of values.
func (r reader) cutRows(row *sdk.Field, lines []string) []layout {
	numeric, least, most := row.Items != nil && isNumber(row.Items), 2, math.MaxInt
	if row.Type == sdk.TypeObject {
		numeric, least, most = slices.ContainsFunc(row.Fields, func(f sdk.Field) bool { return isNumber(&f) }), 0, len(row.Fields)
		for i := range row.Fields {
			if row.Fields[i].Required {
				least++
			}
		}
	}
	ways := r.cutLines(lines, numeric, row.Items != nil && hasUnit(row.Items))
	if words := blanks(lines[0]); len(lines) == 1 && len(words) > 1 && row.Type == sdk.TypeArray && strings.Contains(lines[0], ",") {
		ways = append(ways, r.cutLines(words, numeric, false)...) // 0,0 1,0 1,1 can be three points
	}
	fitting := slices.DeleteFunc(slices.Clone(ways), func(way layout) bool {
		return slices.ContainsFunc(way, func(cells []string) bool { return len(cells) < least || len(cells) > most })
	})
	if len(fitting) > 0 {
		return fitting
	}
	return ways[:1]
}

// blanks returns the parts between blanks. Other white space, such as thousands separators, belongs to numbers.
func blanks(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
}

var missingValue = regexp.MustCompile(`,\s*,|(?:^|\n)\s*,`)

// cutLines returns the ways to cut lines into values.
func (r reader) cutLines(lines []string, numeric, withUnits bool) []layout {
	all := strings.Join(lines, "\n")
	each := func(cut func(line string) []string) layout {
		way := make(layout, len(lines))
		for i, line := range lines {
			way[i] = cut(line)
		}
		return way
	}
	atCommas := func(line string) []string { return trimmed(whole(strings.Split(line, ","))) }
	words := func(line string) []string {
		if withUnits && numeric {
			return attachUnits(blanks(line))
		}
		return blanks(line)
	}
	switch {
	case strings.Contains(all, "\t"):
		return []layout{each(func(line string) []string { return trimmed(whole(strings.Split(line, "\t"))) })}
	case strings.Contains(all, ",") && (!numeric || missingValue.MatchString(all)):
		return []layout{each(atCommas)}
	case !strings.Contains(all, ","):
		ways := []layout{each(words)}
		if joined := each(func(line string) []string { return join(words(line)) }); numeric && !slices.EqualFunc(joined, ways[0], slices.Equal) {
			ways = append(ways, joined)
		}
		return ways
	}
	var ways []layout
	if r.marks != Comma {
		ways = append(ways, each(atCommas))
	}
	if commaInNumber.MatchString(all) || r.marks == Comma {
		ways = append(ways, each(func(line string) []string {
			if cells := cutBetween(line); len(cells) > 1 {
				return cells
			}
			return words(line)
		}))
	}
	return ways
}

func trimmed(cells []string) []string {
	for i := range cells {
		cells[i] = strings.Trim(cells[i], " ")
	}
	return cells
}

var commaInNumber = regexp.MustCompile(`[0-9],[0-9]`)

// cutBetween cuts a line with blanks at the commas that are not between two digits. In a line without
// blanks it cuts at every comma.
func cutBetween(line string) []string {
	if !strings.Contains(line, " ") {
		return []string{line}
	}
	var cells []string
	from := 0
	for i := range len(line) {
		if line[i] == ',' && !(i > 0 && isDigit(line[i-1]) && i+1 < len(line) && isDigit(line[i+1])) {
			cells, from = append(cells, line[from:i]), i+1
		}
	}
	return trimmed(whole(append(cells, line[from:])))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// attachUnits joins numbers and the units after them: 1 kohm 2 kohm are two values.
func attachUnits(words []string) []string {
	var cells []string
	for _, word := range words {
		if n := len(cells); n > 0 && len(cells[n-1]) < MaxText && isUnitWord(word) {
			cells[n-1] += " " + word
			continue
		}
		cells = append(cells, word)
	}
	return cells
}

func isUnitWord(word string) bool {
	rest, _ := strings.CutPrefix(word, "1/")
	first, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(first) || strings.ContainsRune(`/°%'"′″`, first)
}

var (
	beforeGroup    = regexp.MustCompile(`^[-+−]?[1-9][0-9]{0,2}(?: [0-9]{3})*$`)
	group          = regexp.MustCompile(`^[0-9]{3}(?:[.,][0-9]|[^0-9.,]|$)`)
	beforeFraction = regexp.MustCompile(`^[-+−]?[1-9][0-9]*$`)
	ofFraction     = regexp.MustCompile(`^(?:[1-9][0-9]?[/⁄][1-9]|[¼½¾⅐-⅞])`)
)

// canFollow reports whether two words can form one number.
func canFollow(before, word string) bool {
	if len(word) == 1 || len(word) == 2 && word[0] < utf8.RuneSelf || len(before) > MaxText {
		return false // the common case: neither 500 nor 1/2 nor ½
	}
	return beforeGroup.MatchString(before) && group.MatchString(word) || beforeFraction.MatchString(before) && ofFraction.MatchString(word)
}

// join joins the words that can form one number: 12 500, or 1 1/2.
func join(words []string) []string {
	var cells []string
	for _, word := range words {
		if n := len(cells); n > 0 && canFollow(cells[n-1], word) {
			cells[n-1] += " " + word
			continue
		}
		cells = append(cells, word)
	}
	return cells
}

var headingForm = regexp.MustCompile(`^[^0-9\[(]*[\[(]([^\[\]()]+)[\])]$`)

// heading returns the unit of a text above the values: a name with a unit in brackets, or a unit. It
// returns "" for any other text.
func heading(f *sdk.Field, text string) string {
	own, ok := units.Lookup(f.Unit)
	if !ok || !isNumber(f) || text == "" || strings.IndexByte("0123456789+-.,", text[0]) >= 0 {
		return ""
	}
	if parts := headingForm.FindStringSubmatch(text); parts != nil {
		text = strings.TrimSpace(parts[1])
	}
	if u, ok := formula.ReadUnit(text, own.Quantity); ok && u.Quantity == own.Quantity {
		return u.ID
	}
	return ""
}

// read returns the value of a field for one way to cut its text.
func (r reader) read(f *sdk.Field, way layout) (strictjson.Value, *TextError) {
	marks, err := r.judge(f, way)
	if err != nil {
		return strictjson.Value{}, err
	}
	r.marks = marks
	if f.Type == sdk.TypeObject || !IsRow(f.Items) {
		return r.row(f, way[0], nil)
	}
	list := strictjson.Value{Kind: strictjson.Array}
	for i, cells := range way {
		row, err := r.row(f.Items, cells, []string{strconv.Itoa(i)})
		if err != nil {
			return strictjson.Value{}, err
		}
		list.Items = append(list.Items, row)
	}
	return list, nil
}

// row reads the values of a row: the items of a list, or the fields of an object in order. A value
// after the last field gets an unknown name, which package request refuses.
func (r reader) row(f *sdk.Field, cells, path []string) (strictjson.Value, *TextError) {
	at := func(step string, err *TextError) *TextError {
		err.Path = append(append(slices.Clone(path), step), err.Path...)
		return err
	}
	if i := slices.Index(cells, ""); i >= 0 || len(cells) == 0 && len(path) > 0 {
		return strictjson.Value{}, &TextError{Problem: MissingValue, Text: placeOf(path, i), Field: f, Path: path}
	}
	if f.Type == sdk.TypeObject {
		object := strictjson.Value{Kind: strictjson.Object}
		for i, cell := range cells {
			if i >= len(f.Fields) {
				object.Members = append(object.Members, strictjson.Member{Name: "column " + cell, Value: stringOf(cell)})
				break
			}
			one := &f.Fields[i]
			if cell == Blank {
				continue
			}
			of := r
			of.unit = r.columns[one.Name]
			v, err := of.value(one, cell)
			if err != nil {
				return object, at(one.Name, err)
			}
			object.Members = append(object.Members, strictjson.Member{Name: one.Name, Value: v})
		}
		return object, nil
	}
	list := strictjson.Value{Kind: strictjson.Array, Items: make([]strictjson.Value, 0, len(cells))}
	if err := r.lastUnit(f.Items, cells); err != nil {
		return list, err
	}
	for i, cell := range cells {
		v, err := r.value(f.Items, cell)
		if err != nil {
			isFirst := i == 0 && len(cells) > 1 && (len(path) == 0 || path[0] == "0")
			if isFirst && err.Problem == NotNumber && !strings.ContainsAny(cell, "0123456789") {
				err.Problem = Heading
			}
			return list, at(strconv.Itoa(i), err)
		}
		list.Items = append(list.Items, v)
	}
	return list, nil
}

// placeOf names a value of a list or a row, or a whole row. Positions count from 1.
func placeOf(path []string, value int) string {
	var place []string
	if len(path) > 0 {
		n, _ := strconv.Atoi(path[0])
		place = append(place, fmt.Sprint("row ", n+1))
	}
	if value >= 0 {
		place = append(place, fmt.Sprint("value ", value+1))
	}
	return strings.Join(place, ", ")
}

// lastUnit refuses a list in which only the last number has a unit, and that is not the unit of the list.
// In the list "1, 2, 3 mm" it can apply to all numbers.
func (r reader) lastUnit(f *sdk.Field, cells []string) *TextError {
	last := len(cells) - 1
	if last < 1 || !isNumber(f) || f.Unit == "" {
		return nil
	}
	own := f.Unit
	if r.unit != "" {
		own = r.unit
	}
	read, err := Read(f, cells[last], r.level)
	if err != nil || read.Unit == "" || read.Unit == own {
		return nil
	}
	with := func(unit string) string {
		texts := slices.Clone(cells)
		for i := range last {
			texts[i] += " " + unit
		}
		return strings.Join(texts, "; ")
	}
	for _, cell := range cells[:last] {
		if one, err := Read(f, cell, r.level); err != nil || one.Unit != "" {
			return nil
		}
	}
	return &TextError{Problem: Ambiguous, Text: strings.Join(cells, "; "), Readings: []string{with(read.Unit), with(own)}, Field: f}
}

// judge returns the decimal mark that the numbers of a list have in common. It ignores a number such as
// 1.234, because its mark can also group digits. The error is that two numbers have different marks.
func (r reader) judge(f *sdk.Field, way layout) (Decimals, *TextError) {
	marks := r.marks
	if marks != Either {
		return marks, nil
	}
	row, path := f, []string(nil)
	if f.Type == sdk.TypeArray && IsRow(f.Items) {
		row = f.Items
	}
	for i, cells := range way {
		if row != f {
			path = []string{strconv.Itoa(i)}
		}
		for k, cell := range cells {
			one, step := fieldOf(row, k)
			if one == nil || !isNumber(one) {
				continue
			}
			mark := marksOf(cell, r.level)
			if marks != Either && mark != Either && mark != marks {
				return marks, &TextError{Problem: MixedMarks, Text: cell, Field: one, Path: append(path, step)}
			}
			if marks == Either {
				marks = mark
			}
		}
	}
	return marks, nil
}

// fieldOf returns the field of a value of a row and its path in the row, or nil after the last field.
func fieldOf(row *sdk.Field, k int) (f *sdk.Field, step string) {
	switch {
	case row.Type == sdk.TypeArray:
		return row.Items, strconv.Itoa(k)
	case k < len(row.Fields):
		return &row.Fields[k], row.Fields[k].Name
	}
	return nil, ""
}

var unclear = regexp.MustCompile(`^[1-9][0-9]{0,2}[.,][0-9]{3}$`)

// marksOf returns the decimal mark of a number, or Either if the text does not show it. At the level
// [CommaGroups] 350,000 shows that the comma is not the mark.
func marksOf(text string, level Level) Decimals {
	if !strings.ContainsAny(text, ".,") {
		return Either
	}
	number, _ := splitUnit(ascii(text))
	for _, at := range digits.FindAllStringIndex(number, -1) {
		token := number[at[0]:at[1]]
		points, commas := strings.Count(token, "."), strings.Count(token, ",")
		isMantissa := at[1] < len(number) && (number[at[1]] == 'e' || number[at[1]] == 'E')
		switch {
		case points+commas == 0, points+commas == 1 && unclear.MatchString(token) && !isMantissa:
			if commas == 1 && level&CommaGroups != 0 {
				return Point
			}
		case commas == 0 && points == 1, points > 0 && commas > 0 && strings.LastIndex(token, ".") > strings.LastIndex(token, ","), points == 0 && commas > 1:
			return Point
		default:
			return Comma
		}
	}
	return Either
}
