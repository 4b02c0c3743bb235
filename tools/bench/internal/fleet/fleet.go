// Package fleet creates registries with many engines for the bench. Set up a [Fleet], and call a method such
// as [Fleet.Registry]. The engines are copies of one executable with other names, see [Forge].
package fleet

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Fleet creates registries of engines that differ only in their names.
type Fleet struct {
	Dir       string // directory of the registries, which are reused until one of the programs changes
	Slipstick string // the command
	Runtime   string // of documents; scripts/bench builds it next to the command
	Engine    string // executable of engine 0
	Flagship  string // directory of the released executables of the flagship
	Progress  io.Writer
}

// Versions of the engines. The executable has the version Current. Versions that replace it must
// have the same length.
const (
	Older   = "1.0.1000"
	Current = "1.0.1001"
)

// Tool returns the tool id of an engine.
func Tool(number int) string { return fmt.Sprintf("bench-spread-n%03d", number) }

// Capability returns the capability id of an engine.
func Capability(number int) string { return fmt.Sprintf("bench.spread.n%03d", number) }

// FlagshipTool is the tool id of the flagship.
const FlagshipTool = "cantilever-deflection"

// OfFlagship returns a registry of the flagship.
func (f *Fleet) OfFlagship(ctx context.Context) (string, error) {
	return f.ready("flagship", func(dir string) error { return f.publishFile(ctx, dir, f.flagships()...) })
}

// flagships returns the released executables of the flagship. Each source has a directory.
func (f *Fleet) flagships() []string {
	files, _ := filepath.Glob(filepath.Join(f.Flagship, "*", "cantilever_wall_triangle_outer_moment_at_deflection"))
	return files
}

// Registry returns a registry of the first n engines.
func (f *Fleet) Registry(ctx context.Context, n int) (string, error) {
	return f.ready(fmt.Sprintf("%d", n), func(dir string) error { return f.fill(ctx, dir, n) })
}

//go:embed document.calc.md
var document string

// DocumentTool returns the tool id of a document, which computes the same as an engine.
func DocumentTool(number int) string { return fmt.Sprintf("bench-document-n%03d", number) }

// Document returns the text of a document with a version, Older or Current.
func Document(number int, version string) string {
	return strings.NewReplacer("n000", fmt.Sprintf("n%03d", number), Current, version).Replace(document)
}

// Documents returns a registry of n documents that differ only in their names.
func (f *Fleet) Documents(ctx context.Context, n int) (string, error) {
	return f.ready(fmt.Sprintf("documents-%d", n), func(dir string) error { return f.publishDocuments(ctx, dir, n, Current) })
}

// DocumentsWithOlder returns a registry of n documents, each in two versions.
func (f *Fleet) DocumentsWithOlder(ctx context.Context, n int) (string, error) {
	return f.ready(fmt.Sprintf("documents-%d-older", n), func(dir string) error {
		if err := f.publishDocuments(ctx, dir, n, Older); err != nil {
			return err
		}
		return f.publishDocuments(ctx, dir, n, Current)
	})
}

func (f *Fleet) publishDocuments(ctx context.Context, dir string, n int, version string) error {
	sources, err := os.MkdirTemp(f.Dir, "documents")
	if err != nil {
		return err
	}
	defer os.RemoveAll(sources)
	for number := range n {
		name := fmt.Sprintf("n%03d.calc.md", number)
		if err := os.WriteFile(filepath.Join(sources, name), []byte(Document(number, version)), 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(f.Progress, "bench: publishing %d documents\n", n)
	return f.publishFile(ctx, dir, sources)
}

//go:embed series.calc.md
var series string

// SeriesTool is the tool id of a document with a list. Its answer has the list, and so any length.
const SeriesTool = "bench-document-series"

// Series returns a registry of engine 0 and of the document with a list.
func (f *Fleet) Series(ctx context.Context) (string, error) {
	return f.ready("series", func(dir string) error {
		file := filepath.Join(f.Dir, "series.calc.md")
		defer os.Remove(file)
		if err := os.WriteFile(file, []byte(series), 0o644); err != nil {
			return err
		}
		if err := f.publishFile(ctx, dir, file); err != nil {
			return err
		}
		return f.publish(ctx, dir, 1, 0, Current)
	})
}

// SheetTool is the tool id of the document of steps.
const SheetTool = "bench-document-sheet"

// sheetSteps is how often the document of steps calls a document.
const sheetSteps = 20

// Sheet returns a registry of a document, and of a document that calls it 20 times. Both have the same inputs.
func (f *Fleet) Sheet(ctx context.Context) (string, error) {
	return f.ready("sheet", func(dir string) error {
		sources, err := os.MkdirTemp(f.Dir, "sheet")
		if err != nil {
			return err
		}
		defer os.RemoveAll(sources)
		step, file := filepath.Join(sources, "n000.calc.md"), filepath.Join(sources, "sheet.calc.md")
		if err := os.WriteFile(step, []byte(document), 0o644); err != nil {
			return err
		}
		if err := f.publishFile(ctx, dir, step); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(sheet()), 0o644); err != nil {
			return err
		}
		if out, err := exec.CommandContext(ctx, f.Slipstick, "fmt", "--registry", dir, file).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return f.publishFile(ctx, dir, file)
	})
}

// sheet returns the document of steps. Step i has i times the load, and the results are sums over the steps.
func sheet() string {
	var lines []string
	sums := map[string][]string{}
	for i := 1; i <= sheetSteps; i++ {
		lines = append(lines, fmt.Sprintf("s_%d = beam(span=L, width=b, depth=h, modulus=E, load=%d*w, force=P, couple=M_0, axial=N)", i, i))
		for _, output := range []string{"deflection", "moment", "reaction", "stress"} {
			sums[output] = append(sums[output], fmt.Sprintf("s_%d.%s", i, output))
		}
	}
	for _, of := range []struct{ symbol, output string }{{"delta", "deflection"}, {"M", "moment"}, {"R", "reaction"}, {"sigma", "stress"}} {
		lines = append(lines, of.symbol+" = "+strings.Join(sums[of.output], " + "))
	}
	text := strings.ReplaceAll(document, "n000", "sheet")
	text = strings.Replace(text, "- group: bench\n", "- group: bench\n- use beam: bench.document.n000@"+Current+"\n", 1)
	from, to := strings.Index(text, "A = b*h"), strings.Index(text, "\n```\n\n## Outputs")
	text = text[:from] + strings.Join(lines, "\n") + text[to:]
	from = strings.Index(text, "V1: hand")
	return text[:from] + `V1: hand: 210 times the load in all, with the arithmetic of the beam: 210*1.785714e-4, 210*24000, 210*24000, 210*4.5e6
  L = 4 m, b = 0.2 m, h = 0.4 m, E = 2.1e11 Pa, w = 12000 N/m, P = 0 N, M_0 = 0 N m, N = 0 N
  => delta = 0.0375000000 m, M == 5040000 N m, R == 5040000 N, sigma == 9.45e8 Pa
V2 like V1: hand: 0.0375 + 20*(2.0074404762e-4 - 1.7857142857e-4), 5040000 + 20*3650, 5040000 + 20*1750, 9.45e8 + 20*(1700/0.08 + 3650*6/0.032)
  P = 3500 N, M_0 = 150 N m, N = 1700 N
  => delta = 0.037943452381 m, M == 5113000 N m, R == 5075000 N, sigma == 959112500 Pa
` + "```\n"
}

// WithOlder returns a registry of the first n engines, each in two versions.
func (f *Fleet) WithOlder(ctx context.Context, n int) (string, error) {
	return f.ready(fmt.Sprintf("%d-older", n), func(dir string) error {
		if err := f.fill(ctx, dir, n); err != nil {
			return err
		}
		return f.publish(ctx, dir, n, 0, Older)
	})
}

// ready returns the registry of the name. It calls fill unless the same programs have filled the
// registry before.
func (f *Fleet) ready(name string, fill func(dir string) error) (string, error) {
	mark, err := f.programs()
	if err != nil {
		return "", err
	}
	if old, _ := os.ReadFile(filepath.Join(f.Dir, "programs")); string(old) != mark {
		if err := os.RemoveAll(f.Dir); err != nil {
			return "", err
		}
		if err := os.MkdirAll(f.Dir, 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(f.Dir, "programs"), []byte(mark), 0o644); err != nil {
			return "", err
		}
	}
	dir, full := filepath.Join(f.Dir, name), filepath.Join(f.Dir, name+".full")
	if _, err := os.Stat(full); err == nil {
		return dir, nil
	}
	if err := fill(dir); err != nil {
		return "", fmt.Errorf("registry %s: %w", name, err)
	}
	return dir, os.WriteFile(full, nil, 0o644)
}

// programs returns a fingerprint of the programs. A revision from before the documents has no runtime.
func (f *Fleet) programs() (string, error) {
	var b strings.Builder
	flagships := f.flagships()
	if len(flagships) == 0 {
		return "", fmt.Errorf("no release of the flagship is in %s", f.Flagship)
	}
	for _, name := range append(flagships, f.Slipstick, f.Engine, f.Runtime) {
		data, err := os.ReadFile(name)
		if name == f.Runtime && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		fmt.Fprintln(&b, hex.EncodeToString(sum[:]))
	}
	return b.String(), nil
}

// fill puts the first n engines into the directory. It links engines from complete registries, and
// publishes the others.
func (f *Fleet) fill(ctx context.Context, dir string, n int) error {
	have := 0
	for _, other := range f.full() {
		for have < n {
			from := filepath.Join(other, Capability(have))
			if _, err := os.Stat(from); err != nil {
				break
			}
			if err := link(from, filepath.Join(dir, Capability(have))); err != nil {
				return err
			}
			have++
		}
	}
	return f.publish(ctx, dir, n, have, Current)
}

// full lists the complete registries that contain only current versions.
func (f *Fleet) full() []string {
	var dirs []string
	marks, _ := filepath.Glob(filepath.Join(f.Dir, "*[0-9].full"))
	for _, mark := range marks {
		dirs = append(dirs, strings.TrimSuffix(mark, ".full"))
	}
	return dirs
}

// link creates a tree with links to the same files. Published files never change.
func link(from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if err := os.Link(name, target); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// publish publishes the engines from have up to n, on all cores.
func (f *Fleet) publish(ctx context.Context, dir string, n, have int, version string) error {
	if have >= n {
		return nil
	}
	fmt.Fprintf(f.Progress, "bench: publishing %d engines\n", n-have)
	numbers := make(chan int)
	failed := make(chan error)
	for range runtime.NumCPU() {
		go func() {
			var err error
			for number := range numbers {
				if err == nil {
					err = f.publishOne(ctx, dir, number, version)
				}
			}
			failed <- err
		}()
	}
	for ; have < n; have++ {
		numbers <- have
	}
	close(numbers)
	var errs []error
	for range runtime.NumCPU() {
		errs = append(errs, <-failed)
	}
	return errors.Join(errs...)
}

// publishOne creates and publishes an engine, and removes the executable.
func (f *Fleet) publishOne(ctx context.Context, dir string, number int, version string) error {
	original, err := os.ReadFile(f.Engine)
	if err != nil {
		return err
	}
	forged, err := Forge(original, number, version)
	if err != nil {
		return err
	}
	file := filepath.Join(f.Dir, Tool(number))
	defer os.Remove(file)
	if err := os.WriteFile(file, forged, 0o755); err != nil {
		return err
	}
	return f.publishFile(ctx, dir, file)
}

func (f *Fleet) publishFile(ctx context.Context, dir string, files ...string) error {
	if out, err := exec.CommandContext(ctx, f.Slipstick, append([]string{"publish", "--to", dir}, files...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("publish %s: %w: %.2000s", strings.Join(files, ", "), err, out)
	}
	return nil
}
