package rebuild

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"debug/pe"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry/provenance"
)

// Kind is the kind of a difference.
type Kind string

// The kinds of differences, in the order of the comparison.
const (
	ChangedFile Kind = "changed_file"
	MissingFile Kind = "missing_file" // the source does not have it
	AddedFile   Kind = "added_file"   // only the source has it
	Toolchain   Kind = "toolchain"
	Program     Kind = "program" // another import path
	Module      Kind = "module"
	Setting     Kind = "setting"
	Function    Kind = "function"
	Section     Kind = "section"
	Bytes       Kind = "bytes"
)

// Difference is the first difference between a release and a build of a source. Both sides are digests,
// versions, values or sizes, or "" if one side lacks the part.
type Difference struct {
	Kind      Kind   `json:"kind"`
	Platform  string `json:"platform,omitempty"` // platform of the executable; "" if the source differs
	Name      string `json:"name,omitempty"`     // name of the file, module, setting, function or section
	Published string `json:"published,omitempty"`
	Found     string `json:"found,omitempty"`
}

// firstFile returns the first difference between two sorted lists of files.
func firstFile(published, found []provenance.File) *Difference {
	for len(published) > 0 || len(found) > 0 {
		switch {
		case len(found) == 0 || len(published) > 0 && published[0].Name < found[0].Name:
			return &Difference{Kind: MissingFile, Name: published[0].Name, Published: published[0].SHA256}
		case len(published) == 0 || found[0].Name < published[0].Name:
			return &Difference{Kind: AddedFile, Name: found[0].Name, Found: found[0].SHA256}
		case published[0].SHA256 != found[0].SHA256:
			return &Difference{Kind: ChangedFile, Name: found[0].Name, Published: published[0].SHA256, Found: found[0].SHA256}
		}
		published, found = published[1:], found[1:]
	}
	return nil
}

// difference returns the first difference between two executables with different bytes. It compares their
// build information, then the code of functions, then sections.
func difference(published, found []byte) Difference {
	if d := firstInfo(published, found); d != nil {
		return *d
	}
	a, b := read(published), read(found)
	if d := firstFunction(a.functions, b.functions); d != nil {
		return *d
	}
	if d := firstPart(Section, a.sections, b.sections, bytes.Equal); d != nil {
		return *d
	}
	return Difference{Kind: Bytes, Published: size(published), Found: size(found)}
}

func size(data []byte) string { return fmt.Sprintf("%d bytes", len(data)) }

// firstInfo returns the first difference in the build information.
func firstInfo(published, found []byte) *Difference {
	a, err := tree.Info(published)
	if err != nil {
		return &Difference{Kind: Program, Found: "Go"}
	}
	b, err := tree.Info(found)
	switch {
	case err != nil:
		return nil
	case a.GoVersion != b.GoVersion:
		return &Difference{Kind: Toolchain, Published: a.GoVersion, Found: b.GoVersion}
	case a.Path != b.Path:
		return &Difference{Kind: Program, Published: a.Path, Found: b.Path}
	}
	if d := firstText(Module, modules(a), modules(b)); d != nil {
		return d
	}
	return firstText(Setting, settings(a), settings(b))
}

// named is a text with a name.
type named struct{ name, text string }

func modules(info *debug.BuildInfo) (list []named) {
	for _, m := range info.Deps {
		name := m.Path
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, named{name, m.Version + " " + m.Sum})
	}
	return list
}

func settings(info *debug.BuildInfo) (list []named) {
	for _, s := range info.Settings {
		list = append(list, named{s.Key, s.Value})
	}
	return list
}

// firstText returns the first difference between two lists of named texts.
func firstText(kind Kind, published, found []named) *Difference {
	for _, p := range published {
		i := slices.IndexFunc(found, func(f named) bool { return f.name == p.name })
		if i < 0 {
			return &Difference{Kind: kind, Name: p.name, Published: p.text}
		}
		if found[i].text != p.text {
			return &Difference{Kind: kind, Name: p.name, Published: p.text, Found: found[i].text}
		}
	}
	for _, f := range found {
		if !slices.ContainsFunc(published, func(p named) bool { return p.name == f.name }) {
			return &Difference{Kind: kind, Name: f.name, Found: f.text}
		}
	}
	return nil
}

// part is a function or a section.
type part struct {
	name string
	data []byte
}

// executable contains the compared parts of an executable. Both lists are empty if the format is unknown.
type executable struct{ functions, sections []part }

// firstFunction returns the first difference between functions. It compares sizes before bytes. A function
// with another size moves other functions, which changes the addresses in all calls of them.
func firstFunction(published, found []part) *Difference {
	if d := firstPart(Function, published, found, func(a, b []byte) bool { return len(a) == len(b) }); d != nil {
		return d
	}
	return firstPart(Function, published, found, bytes.Equal)
}

// firstPart returns the first difference between parts with the same name. A name can occur several times: a
// function that assembly calls has two parts. Parts with one name are compared in their order.
func firstPart(kind Kind, published, found []part, same func(a, b []byte) bool) *Difference {
	rest := map[string][][]byte{}
	for _, f := range found {
		rest[f.name] = append(rest[f.name], f.data)
	}
	for _, p := range published {
		list := rest[p.name]
		if len(list) == 0 {
			return &Difference{Kind: kind, Name: p.name, Published: size(p.data)}
		}
		if !same(p.data, list[0]) {
			return &Difference{Kind: kind, Name: p.name, Published: size(p.data), Found: size(list[0])}
		}
		rest[p.name] = list[1:]
	}
	for _, f := range found {
		if len(rest[f.name]) > 0 {
			return &Difference{Kind: kind, Name: f.name, Found: size(f.data)}
		}
	}
	return nil
}

// read returns the parts of an executable in the format ELF, Mach-O or PE.
func read(data []byte) (e executable) {
	r := bytes.NewReader(data)
	var text, lines []byte
	var address uint64
	add := func(name string, at uint64, content []byte, err error) {
		if err != nil {
			return
		}
		e.sections = append(e.sections, part{name, content})
		switch name {
		case ".text", "__text":
			text, address = content, at
		case ".gopclntab", "__gopclntab":
			lines = content
		}
	}
	if f, err := elf.NewFile(r); err == nil {
		for _, s := range f.Sections {
			if s.Type != elf.SHT_NOBITS {
				content, err := s.Data()
				add(s.Name, s.Addr, content, err)
			}
		}
	} else if f, err := macho.NewFile(r); err == nil {
		for _, s := range f.Sections {
			content, err := s.Data()
			add(s.Name, s.Addr, content, err)
		}
	} else if f, err := pe.NewFile(r); err == nil {
		for _, s := range f.Sections {
			content, err := s.Data()
			add(s.Name, uint64(s.VirtualAddress), content, err)
		}
	}
	e.functions = functions(text, lines, address)
	return e
}

// functions returns the code of each function, according to the line table of Go programs.
func functions(text, lines []byte, address uint64) (list []part) {
	if text == nil || lines == nil {
		return nil
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(lines, address))
	if err != nil {
		return nil
	}
	for _, f := range table.Funcs {
		if from, to := f.Entry-address, f.End-address; from <= to && to <= uint64(len(text)) {
			list = append(list, part{f.Name, text[from:to]})
		}
	}
	return list
}
