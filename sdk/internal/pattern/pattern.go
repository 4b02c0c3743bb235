// Package pattern has regular expressions that are compiled at their first use. Declare one
// with [New] in place of regexp.MustCompile. A process that reads one document needs few of
// them, and each takes up to 20 kB and 20 microseconds.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a [regexp.Regexp]. Its methods are the methods there, and panic if the expression is wrong.
type Pattern struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
}

// New returns the pattern of an expression.
func New(expression string) *Pattern { return &Pattern{expression: expression} }

func (p *Pattern) regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.expression) })
	return p.compiled
}

func (p *Pattern) MatchString(s string) bool { return p.regexp().MatchString(s) }

func (p *Pattern) FindString(s string) string { return p.regexp().FindString(s) }

func (p *Pattern) FindStringSubmatch(s string) []string { return p.regexp().FindStringSubmatch(s) }

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.regexp().FindStringSubmatchIndex(s)
}

func (p *Pattern) FindAllString(s string, n int) []string { return p.regexp().FindAllString(s, n) }

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.regexp().FindAllStringIndex(s, n)
}

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.regexp().FindAllStringSubmatch(s, n)
}

func (p *Pattern) ReplaceAllString(src, by string) string {
	return p.regexp().ReplaceAllString(src, by)
}

func (p *Pattern) ReplaceAllStringFunc(src string, by func(string) string) string {
	return p.regexp().ReplaceAllStringFunc(src, by)
}
