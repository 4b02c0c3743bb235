package spreadsheet

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Limits of a workbook.
const (
	MaxFile    = 8 << 20  // bytes of the file
	MaxParts   = 32 << 20 // bytes of all unzipped parts that are read
	MaxCells   = 20_000   // cells with a value or a formula
	MaxFormula = 8 << 10  // bytes of a formula
	maxSheets  = 100
)

// The last row and column of a sheet.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// kind is the kind of value of a cell or an expression.
type kind uint8

const (
	blank kind = iota
	number
	words // a text
	truth // TRUE or FALSE
	fault // an error value, such as #DIV/0!
)

// place is the place of a cell.
type place struct {
	sheet       int
	row, column int // from 1
}

// compare orders places by sheet, row and column.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.sheet, q.sheet), cmp.Compare(p.row, q.row), cmp.Compare(p.column, q.column))
}

// cell is a cell with its value as it was saved.
type cell struct {
	place
	kind    kind
	value   float64 // of a number, 1 for TRUE
	text    string
	written string // the formula, "" without one
	formula *node  // nil without a formula, and with one that has a problem
	problem string // why the formula cannot be read
	remedy  string
	format  string // number format
}

// workbook has the parts of a file that the import reads.
type workbook struct {
	sheets []string
	cells  map[place]*cell
	names  []definedName
}

// definedName is a name of the workbook. Sheet is -1 for a name that all sheets have.
type definedName struct {
	name  string
	sheet int
	refer string
}

type reader struct {
	parts map[string]*zip.File
	left  int64 // bytes that can still be unzipped
	*workbook
	strings []string
	formats []string // by style
	shared  map[int]sharedFormula
}

type sharedFormula struct {
	place
	formula *node
}

// readWorkbook reads a file.
func readWorkbook(file []byte) (*workbook, error) {
	switch {
	case len(file) > MaxFile:
		return nil, fmt.Errorf("the workbook has %d bytes, and at most %d are allowed: delete sheets that the calculation does not need", len(file), MaxFile)
	case bytes.HasPrefix(file, []byte("\xd0\xcf\x11\xe0")):
		return nil, errors.New("the workbook is encrypted, or has the old format .xls: save it as .xlsx without a password")
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, fmt.Errorf("the file is not a workbook: save it as .xlsx (%w)", err)
	}
	r := &reader{parts: map[string]*zip.File{}, left: MaxParts, workbook: &workbook{cells: map[place]*cell{}}}
	for _, f := range z.File {
		r.parts[strings.TrimPrefix(f.Name, "/")] = f
		if strings.EqualFold(path.Base(f.Name), "vbaProject.bin") {
			return nil, errors.New("the workbook has macros, which are never executed: save it as .xlsx without them")
		}
	}
	return r.workbook, r.read()
}

// read reads the parts that the import needs.
func (r *reader) read() error {
	main, err := r.mainPart()
	if err != nil {
		return err
	}
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
		Names []struct {
			Name  string `xml:"name,attr"`
			Sheet *int   `xml:"localSheetId,attr"`
			Refer string `xml:",chardata"`
		} `xml:"definedNames>definedName"`
		Calc struct {
			Full string `xml:"fullPrecision,attr"`
		} `xml:"calcPr"`
	}
	if err := r.unmarshal(main, &book); err != nil {
		return err
	}
	if book.Calc.Full == "0" || book.Calc.Full == "false" {
		return errors.New("the workbook computes with the precision as displayed: switch this option off, and save the workbook again")
	}
	if len(book.Sheets) > maxSheets {
		return fmt.Errorf("the workbook has %d sheets, and at most %d are allowed", len(book.Sheets), maxSheets)
	}
	for _, n := range book.Names {
		d := definedName{name: n.Name, sheet: -1, refer: strings.TrimPrefix(n.Refer, "=")}
		if n.Sheet != nil {
			d.sheet = *n.Sheet
		}
		r.names = append(r.names, d)
	}
	targets, err := r.relations(main)
	if err == nil {
		err = r.readStrings(path.Join(path.Dir(main), "sharedStrings.xml"))
	}
	if err == nil {
		err = r.readFormats(path.Join(path.Dir(main), "styles.xml"))
	}
	if err != nil {
		return err
	}
	for _, s := range book.Sheets {
		r.sheets = append(r.sheets, s.Name)
	}
	for i, s := range book.Sheets {
		if target, ok := targets[s.ID]; ok {
			if err := r.readSheet(i, target); err != nil {
				return err
			}
		}
	}
	return nil
}

// mainPart returns the name of the part of the workbook itself.
func (r *reader) mainPart() (string, error) {
	targets, err := r.relations("")
	if err != nil {
		return "", err
	}
	for _, target := range targets {
		if path.Base(target) == "workbook.xml" && r.parts[target] != nil {
			return target, nil
		}
	}
	return "", errors.New("the file is not a workbook: it has no part workbook.xml; save it as .xlsx")
}

// relations returns the parts that a part names, by id. Links to other files are left out.
func (r *reader) relations(part string) (map[string]string, error) {
	var list struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
			Mode   string `xml:"TargetMode,attr"`
			Type   string `xml:"Type,attr"`
		} `xml:"Relationship"`
	}
	dir, name := path.Split(part)
	if err := r.unmarshal(path.Join(dir, "_rels", name+".rels"), &list); err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, one := range list.All {
		isPart := part == "" || strings.HasSuffix(one.Type, "/worksheet")
		switch {
		case one.Mode == "External" || !isPart:
		case strings.HasPrefix(one.Target, "/"):
			targets[one.ID] = strings.TrimPrefix(path.Clean(one.Target), "/")
		default:
			targets[one.ID] = path.Join(dir, one.Target)
		}
	}
	return targets, nil
}

// errTooLarge reports a workbook that unzips to more than [MaxParts].
var errTooLarge = fmt.Errorf("the workbook unzips to more than %d MiB: delete sheets and pictures that the calculation does not need", MaxParts>>20)

// part unzips a part. It returns nil without an error if there is no such part.
func (r *reader) part(name string) ([]byte, error) {
	f := r.parts[name]
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, errors.New("the workbook is encrypted: save it without a password")
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("the part %s of the workbook: %w", name, err)
	}
	data, err := io.ReadAll(io.LimitReader(in, r.left+1))
	r.left -= int64(len(data))
	if r.left < 0 {
		return nil, errTooLarge
	}
	err = errors.Join(err, in.Close())
	if err != nil {
		return nil, fmt.Errorf("the part %s of the workbook: %w", name, err)
	}
	if bytes.Contains(data, []byte("<!DOCTYPE")) || bytes.Contains(data, []byte("<!ENTITY")) {
		return nil, fmt.Errorf("the part %s of the workbook defines entities, which are never read: save the workbook again in a spreadsheet program", name)
	}
	return data, nil
}

// unmarshal decodes a part.
func (r *reader) unmarshal(name string, to any) error {
	data, err := r.part(name)
	if err == nil && data == nil {
		err = fmt.Errorf("the file is not a workbook: it has no part %s; save it as .xlsx", name)
	}
	if err != nil {
		return err
	}
	if err := xml.Unmarshal(data, to); err != nil {
		return fmt.Errorf("the part %s of the workbook: %w", name, err)
	}
	return nil
}

// richText is a text with or without formats.
type richText struct {
	Plain string   `xml:"t"`
	Runs  []string `xml:"r>t"`
}

func (t richText) String() string { return t.Plain + strings.Join(t.Runs, "") }

// readStrings reads the texts that cells share.
func (r *reader) readStrings(name string) error {
	if r.parts[name] == nil {
		return nil
	}
	return r.each(name, "si", func(d *xml.Decoder, start *xml.StartElement) error {
		var text richText
		err := d.DecodeElement(&text, start)
		r.strings = append(r.strings, text.String())
		if len(r.strings) > MaxCells {
			return fmt.Errorf("the workbook has more than %d texts: delete sheets that the calculation does not need", MaxCells)
		}
		return err
	})
}

// each calls a function for each element of a name in a part.
func (r *reader) each(part, element string, call func(*xml.Decoder, *xml.StartElement) error) error {
	data, err := r.part(part)
	if err != nil {
		return err
	}
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if start, ok := token.(xml.StartElement); ok && err == nil && start.Name.Local == element {
			err = call(d, &start)
		}
		if err != nil {
			return fmt.Errorf("the part %s of the workbook: %w", part, err)
		}
	}
}

// readFormats reads the number format of each style.
func (r *reader) readFormats(name string) error {
	if r.parts[name] == nil {
		return nil
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Styles []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := r.unmarshal(name, &styles); err != nil {
		return err
	}
	codes := map[int]string{9: "0%", 10: "0.00%"}
	for id := 14; id <= 22; id++ {
		codes[id] = "yyyy-mm-dd"
	}
	for id := 45; id <= 47; id++ {
		codes[id] = "mm:ss"
	}
	for _, f := range styles.Formats {
		codes[f.ID] = f.Code
	}
	for _, s := range styles.Styles {
		r.formats = append(r.formats, codes[s.Format])
	}
	return nil
}

// xmlCell is a cell of a sheet's part.
type xmlCell struct {
	Place   string `xml:"r,attr"`
	Style   int    `xml:"s,attr"`
	Type    string `xml:"t,attr"`
	Formula *struct {
		Type   string `xml:"t,attr"`
		Shared *int   `xml:"si,attr"`
		Text   string `xml:",chardata"`
	} `xml:"f"`
	Value  *string  `xml:"v"`
	Inline richText `xml:"is"`
}

// readSheet reads the cells of a sheet.
func (r *reader) readSheet(sheet int, part string) error {
	r.shared = map[int]sharedFormula{}
	if r.parts[part] == nil {
		return fmt.Errorf("the workbook has no part %s for the sheet %s: save it again in a spreadsheet program", part, r.sheets[sheet])
	}
	return r.each(part, "c", func(d *xml.Decoder, start *xml.StartElement) error {
		var x xmlCell
		if err := d.DecodeElement(&x, start); err != nil {
			return err
		}
		if x.Value == nil && x.Formula == nil && x.Inline.String() == "" {
			return nil
		}
		row, column, ok := readPlace(x.Place)
		if !ok {
			return fmt.Errorf("%q is not the place of a cell", x.Place)
		}
		if len(r.cells) >= MaxCells {
			return fmt.Errorf("the workbook has more than %d cells: delete sheets that the calculation does not need", MaxCells)
		}
		c := &cell{place: place{sheet, row, column}}
		if x.Style >= 0 && x.Style < len(r.formats) {
			c.format = r.formats[x.Style]
		}
		r.cells[c.place] = c
		if x.Formula != nil {
			r.readFormula(c, &x)
		}
		return r.readValue(c, &x)
	})
}

// readValue reads the value of a cell as it was saved.
func (r *reader) readValue(c *cell, x *xmlCell) error {
	if x.Value == nil {
		c.text = x.Inline.String()
		if c.text != "" {
			c.kind = words
		}
		return nil
	}
	value := *x.Value
	switch x.Type {
	case "s":
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(r.strings) {
			return fmt.Errorf("the text %q of the cell %s is missing", value, x.Place)
		}
		c.kind, c.text = words, r.strings[i]
	case "str", "inlineStr", "d":
		c.kind, c.text = words, value
	case "e":
		c.kind, c.text = fault, value
	default:
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("the value %q of the cell %s is not a number", value, x.Place)
		}
		c.kind, c.value = number, v
		if x.Type == "b" {
			c.kind = truth
		}
	}
	return nil
}

// readFormula reads the formula of a cell.
func (r *reader) readFormula(c *cell, x *xmlCell) {
	f := x.Formula
	c.written = f.Text
	switch {
	case f.Type == "array":
		c.problem, c.remedy = "an array formula", "write a formula for each cell, or SUMPRODUCT"
		c.written = "array formula"
	case f.Type == "dataTable":
		c.problem, c.remedy = "a data table", "write the cases into scenario columns"
		c.written = "data table"
	case len(f.Text) > MaxFormula:
		c.problem, c.remedy = fmt.Sprintf("a formula of %d bytes, and at most %d are allowed", len(f.Text), MaxFormula), "divide it over several cells"
	case f.Type == "shared" && f.Shared != nil && f.Text == "":
		first, ok := r.shared[*f.Shared]
		c.written = "shared formula"
		if !ok {
			c.problem, c.remedy = "a shared formula without its first cell", "save the workbook again in a spreadsheet program"
			return
		}
		c.formula = first.formula.moved(c.row-first.row, c.column-first.column)
		c.written = c.formula.String()
	default:
		var wrong *syntaxError
		c.formula, wrong = parse(f.Text)
		if wrong == nil && c.formula.op == opCall && (c.formula.text == "TRUE" || c.formula.text == "FALSE") { // which some programs write for a value
			c.formula, c.written = nil, ""
			return
		}
		if wrong != nil {
			c.problem, c.remedy = wrong.problem, wrong.remedy
		} else if f.Type == "shared" && f.Shared != nil {
			r.shared[*f.Shared] = sharedFormula{c.place, c.formula}
		}
	}
}

var placeForm = regexp.MustCompile(`^(\$?)([A-Za-z]{1,3})(\$?)([1-9][0-9]{0,6})$`)

// readPlace reads a place such as B7.
func readPlace(text string) (row, column int, ok bool) {
	m := placeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	for _, c := range strings.ToUpper(m[2]) {
		column = 26*column + int(c-'A') + 1
	}
	row, err := strconv.Atoi(m[4])
	return row, column, err == nil && row <= maxRow && column <= maxColumn
}

// letters returns the name of a column: 28 is AB.
func letters(column int) string {
	if column <= 0 {
		return ""
	}
	column--
	return letters(column/26) + string(rune('A'+column%26))
}

// in returns the place of a cell as people write it: Beam!B7.
func (b *workbook) in(p place) string {
	return b.sheetName(p.sheet) + "!" + letters(p.column) + strconv.Itoa(p.row)
}

var plainSheet = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (b *workbook) sheetName(sheet int) string {
	name := b.sheets[sheet]
	if plainSheet.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", "''") + "'"
}

// sheet returns the index of a sheet, or -1.
func (b *workbook) sheet(name string) int {
	for i, s := range b.sheets {
		if strings.EqualFold(s, name) {
			return i
		}
	}
	return -1
}
