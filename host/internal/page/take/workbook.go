package take

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Limits of texts and names in spreadsheets.
const (
	longestText = 32767
	longestName = 31
)

// book is a workbook of sheets with numbers and texts. No cell is a formula.
type book struct {
	sheets []*sheet
	names  map[string]bool
}

type sheet struct {
	name          string
	columns, rows strings.Builder // as XML
	height        int
}

// addSheet adds a sheet, with the widths of its first columns. It replaces characters that names of sheets cannot have.
func (b *book) addSheet(title string, widths ...int) *sheet {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`:\/?*[]'`, r) {
			return ' '
		}
		return r
	}, title)
	if b.names == nil {
		b.names = map[string]bool{"history": true} // Excel reserves this name
	}
	base := strings.TrimSpace(cut(name, longestName-4))
	if base == "" {
		base = "Table"
	}
	name = base
	for n := 2; b.names[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s %d", base, n)
	}
	b.names[strings.ToLower(name)] = true
	s := &sheet{name: name}
	for i, width := range widths {
		fmt.Fprintf(&s.columns, `<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, i+1, width)
	}
	b.sheets = append(b.sheets, s)
	return s
}

// add adds a row.
func (s *sheet) add(cells ...Cell) {
	s.height++
	fmt.Fprintf(&s.rows, `<row r="%d">`, s.height)
	for i, c := range cells {
		at := column(i) + strconv.Itoa(s.height)
		switch {
		case !c.IsText:
			fmt.Fprintf(&s.rows, `<c r="%s"><v>%s</v></c>`, at, strconv.FormatFloat(c.Number, 'g', -1, 64))
		case c.Text != "":
			fmt.Fprintf(&s.rows, `<c r="%s" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`, at, inXML(literal(cut(c.Text, longestText))))
		}
	}
	s.rows.WriteString(`</row>`)
}

// column returns the name of a column: A to Z, AA and so on.
func column(i int) string {
	last := string(rune('A' + i%26))
	if i < 26 {
		return last
	}
	return column(i/26-1) + last
}

// cut returns the start of a text, with at most the given number of UTF-16 code units.
func cut(text string, most int) string {
	n := 0
	for i, r := range text {
		n += utf16.RuneLen(r)
		if n > most {
			return text[:i]
		}
	}
	return text
}

// code matches the escapes of workbooks for characters that XML cannot have.
var code = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// literal escapes texts that look like such escapes.
func literal(text string) string { return code.ReplaceAllString(text, "_x005F$0") }

func inXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	partsNS  = "http://schemas.openxmlformats.org/package/2006/"
	partType = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	linkType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// write writes the workbook: the parts that ECMA-376 requires, and a part for each sheet.
func (b *book) write(w io.Writer) error {
	z := zip.NewWriter(w)
	part := func(name, text string) error {
		f, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(f, xmlHead+text)
		}
		return err
	}
	var types, list, links strings.Builder
	for i, s := range b.sheets {
		n := i + 1
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, n, partType)
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="rId%[2]d"/>`, inXML(s.name), n)
		fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%[1]d.xml"/>`, n, linkType)
	}
	for _, p := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="` + partsNS + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="` + partType + `sheet.main+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + partsNS + `relationships"><Relationship Id="rId1" Type="` + linkType + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="` + mainNS + `" xmlns:r="` + linkType + `"><sheets>` + list.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + partsNS + `relationships">` + links.String() + `</Relationships>`},
	} {
		if err := part(p[0], p[1]); err != nil {
			return err
		}
	}
	for i, s := range b.sheets {
		text := `<worksheet xmlns="` + mainNS + `"><cols>` + s.columns.String() + `</cols><sheetData>` + s.rows.String() + `</sheetData></worksheet>`
		if err := part(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), text); err != nil {
			return err
		}
	}
	return z.Close()
}
