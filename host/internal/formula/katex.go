package formula

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/dop251/goja"
)

//go:embed all:assets
var assets embed.FS

var (
	errMissing = errors.New("built without KaTeX; scripts/node/assets puts it in place")
	errTime    = errors.New("took too long")
)

const (
	maxTime   = 3 * time.Second // a formula takes some ms, and no accepted text more than a second on an idle machine
	maxOutput = 256 << 10       // bytes
	maxCalls  = 400             // depth of nested functions
)

// katex is KaTeX in an interpreter. Only one goroutine may use it at a time.
type katex struct {
	program *goja.Program
	source  string
	limit   time.Duration // of one conversion
	vm      *goja.Runtime // nil before the first conversion, and after one that was stopped
	render  goja.Callable
	options [2]*goja.Object // for text and display
}

func loadKaTeX() (*katex, error) {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the name is a valid one
	}
	return newKaTeX(files)
}

func newKaTeX(files fs.FS) (*katex, error) {
	source, err := fs.ReadFile(files, "katex.min.js")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMissing
	}
	return &katex{source: string(source), limit: maxTime}, err
}

// start makes the interpreter. The first time takes a tenth of a second, so it is done only
// when a formula is shown.
func (k *katex) start() (err error) {
	if k.program == nil {
		if k.program, err = goja.Compile("katex.min.js", k.source, false); err != nil {
			return err
		}
		k.source = ""
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(maxCalls)
	if _, err := vm.RunProgram(k.program); err != nil {
		return err
	}
	render, ok := goja.AssertFunction(vm.Get("katex").ToObject(vm).Get("renderToString"))
	if !ok {
		return errors.New("KaTeX has no renderToString")
	}
	for i, display := range []bool{false, true} {
		options := map[string]any{
			"output": "mathml", "displayMode": display, "throwOnError": true,
			"strict": "ignore", // unusual LaTeX is still worth showing
			"trust":  false, "errorColor": refused, "maxExpand": 1000, "maxSize": 10,
		}
		k.options[i] = vm.ToValue(options).ToObject(vm)
	}
	k.vm, k.render = vm, render
	return nil
}

// convert returns KaTeX's HTML for the LaTeX.
func (k *katex) convert(latex string, display bool) (html string, err error) {
	defer func() {
		if p := recover(); p != nil {
			k.vm, html, err = nil, "", fmt.Errorf("KaTeX: %v", p)
		}
	}()
	if k.vm == nil {
		if err := k.start(); err != nil {
			return "", fmt.Errorf("start KaTeX: %w", err)
		}
	}
	options := k.options[0]
	if display {
		options = k.options[1]
	}
	vm := k.vm
	timer := time.AfterFunc(k.limit, func() { vm.Interrupt(errTime) })
	value, err := k.render(goja.Undefined(), vm.ToValue(latex), options)
	if !timer.Stop() {
		k.vm = nil // it is interrupted, now or at its next use
		return "", fmt.Errorf("KaTeX: %w", errTime)
	}
	if exception, ok := errors.AsType[*goja.Exception](err); ok {
		return "", errors.New(exception.Value().String()) // LaTeX that it does not understand
	}
	if err != nil {
		k.vm = nil // its state is undefined after it was stopped
		return "", fmt.Errorf("KaTeX: %w", err)
	}
	if html = value.String(); len(html) > maxOutput {
		return "", fmt.Errorf("MathML of %d bytes, of which %d are shown", len(html), maxOutput)
	}
	return html, nil
}
