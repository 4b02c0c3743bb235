package help

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Word is a word that can follow on the command line, and its meaning.
type Word struct{ Text, Help string }

// Typed is the part of a command line before the cursor.
type Typed struct {
	Args  []string          // without the names of commands
	Flags map[string]string // the values of flags by name
	Word  string            // the incomplete word at the cursor
}

// Values returns the words of a kind. The kind is the tag "complete" of an argument or flag.
type Values func(kind string, typed Typed) []Word

// Words returns the words that can replace the last word, which is incomplete. It returns none for a file name
// or another value that cannot be listed.
func Words(model *kong.Node, words []string, values Values) []Word {
	before, word := words[:len(words)-1], words[len(words)-1]
	c := cursor{node: model, values: values, typed: Typed{Flags: map[string]string{}, Word: word}}
	if len(before) > 0 && before[0] == "help" {
		before, c.onlyCommands = before[1:], true
	}
	for _, w := range before {
		c.pass(w)
	}
	all := c.at(word)
	return slices.DeleteFunc(all, func(w Word) bool { return !strings.HasPrefix(w.Text, word) })
}

// cursor reads the words of a command line one after the other.
type cursor struct {
	node         *kong.Node
	values       Values
	typed        Typed
	flag         *kong.Flag // the next word is the value of this flag, if it is not nil
	noFlags      bool       // after --
	onlyCommands bool       // after help
}

// pass reads a word before the cursor.
func (c *cursor) pass(word string) {
	name, value, attached := strings.Cut(word, "=")
	switch {
	case c.flag != nil:
		c.typed.Flags[c.flag.Name], c.flag = word, nil
	case word == "--" && !c.noFlags:
		c.noFlags = true
	case strings.HasPrefix(word, "--") && !c.noFlags:
		switch f := c.find(name); {
		case f == nil:
		case attached:
			c.typed.Flags[f.Name] = value
		case !f.IsBool():
			c.flag = f
		}
	default:
		if len(c.typed.Args) == 0 {
			for _, child := range c.node.Children {
				if child.Name == word {
					c.node = child
					return
				}
			}
		}
		c.typed.Args = append(c.typed.Args, word)
	}
}

// find returns the flag with the name, which includes the dashes, nil if there is none.
func (c *cursor) find(name string) *kong.Flag {
	for _, group := range c.node.AllFlags(true) {
		for _, f := range group {
			if "--"+f.Name == name {
				return f
			}
		}
	}
	return nil
}

// at lists the words that can replace an incomplete word.
func (c *cursor) at(word string) (out []Word) {
	name, _, attached := strings.Cut(word, "=")
	switch {
	case c.flag != nil:
		return c.of(c.flag.Value)
	case attached && strings.HasPrefix(word, "--") && !c.noFlags:
		if f := c.find(name); f != nil {
			out = c.of(f.Value)
			for i := range out {
				out[i].Text = name + "=" + out[i].Text
			}
		}
		return out
	case strings.HasPrefix(word, "-") && !c.noFlags && !c.onlyCommands:
		for _, group := range c.node.AllFlags(true) {
			for _, f := range group {
				out = append(out, Word{"--" + f.Name, f.Help})
			}
		}
		return out
	}
	if len(c.typed.Args) == 0 {
		for _, child := range c.node.Children {
			if !child.Hidden {
				out = append(out, Word{child.Name, child.Help})
			}
		}
	}
	if positional := c.node.Positional; len(positional) > 0 && !c.onlyCommands {
		if at := min(len(c.typed.Args), len(positional)-1); at == len(c.typed.Args) || positional[at].IsCumulative() {
			out = append(out, c.of(positional[at])...)
		}
	}
	return out
}

// of lists the possible values of an argument or flag.
func (c *cursor) of(v *kong.Value) (out []Word) {
	if kind := v.Tag.Get("complete"); kind != "" {
		return c.values(kind, c.typed)
	}
	for _, one := range v.EnumSlice() {
		out = append(out, Word{Text: one})
	}
	return out
}
