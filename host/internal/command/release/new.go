package release

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/scaffold"
)

// New has the options of slipstick new.
type New struct {
	Capability string
	Dir        string
	Module     string
	Lang       string
	Text       bool
	Checkout   string
}

// Run creates the module of a new engine.
func (c *New) Run(s command.Streams, program Program) error {
	if c.Text {
		c.Lang = scaffold.Text
	}
	o := scaffold.Options{Capability: c.Capability, Module: c.Module, Dir: c.Dir, Checkout: c.Checkout, Release: program.release(), Language: c.Lang}
	if o.Checkout == "" && o.Release == nil && c.Lang == scaffold.Go {
		o.Checkout = scaffold.OwnCheckout()
	}
	if !strings.Contains(program.Revision, "dirty") {
		o.Revision = program.Revision
	}
	dir, files, err := scaffold.Create(o)
	if err != nil {
		return command.Misuse(err)
	}
	for _, file := range files {
		fmt.Fprintf(s.Out, "%s/%s\n", dir, file)
	}
	if o.Checkout != "" {
		fmt.Fprintf(s.Err, "slipstick: the module is built with the checkout %s: it builds on no other machine\n", o.Checkout)
	}
	if c.Lang == scaffold.Text {
		fmt.Fprintf(s.Err, "Next: slipstick dev %s/%s\n", dir, files[0])
		return nil
	}
	next := map[string]string{
		scaffold.Go:     "go test ./... && slipstick dev",
		scaffold.Python: "slipstick-engine build",
	}[c.Lang]
	if c.Lang == scaffold.Go && o.Checkout == "" && len(o.Release.Sums) == 0 {
		next = "go mod tidy && " + next
	}
	fmt.Fprintf(s.Err, "Next: cd %s && %s\n", dir, next)
	return nil
}
