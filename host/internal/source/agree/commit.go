package agree

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// Commit is what the hosts have agreed on about one capability.
type Commit struct {
	Generation uint64 // grows with every commit of the capability
	Order      uint64 // number of the signed statement that makes the version current; 0 if there is none
	Switch     int64  // when Version comes into force, in ms of Redis's clock
	Version    string
	Was        string // in force before; "" if nothing was
}

// maxGeneration is the largest generation that counts: a script of Redis can add to it
// without loss.
const maxGeneration = 1 << 52

// nothingAgreed stands for an empty version in the text of a commit.
const nothingAgreed = "-"

// String is the commit as Redis keeps it.
func (c Commit) String() string {
	was := c.Was
	if was == "" {
		was = nothingAgreed
	}
	return fmt.Sprintf("%d %d %d %s %s", c.Generation, c.Order, c.Switch, c.Version, was)
}

// parseCommit reads a commit. What is none is not ok.
func parseCommit(text string) (c Commit, ok bool) {
	words := strings.Split(text, " ")
	if len(words) != 5 {
		return c, false
	}
	var errs [3]error
	c.Generation, errs[0] = strconv.ParseUint(words[0], 10, 64)
	c.Order, errs[1] = strconv.ParseUint(words[1], 10, 64)
	c.Switch, errs[2] = strconv.ParseInt(words[2], 10, 64)
	c.Version = words[3]
	if words[4] != nothingAgreed {
		c.Was = words[4]
	}
	ok = errs == [3]error{} && c.Generation > 0 && c.Generation <= maxGeneration && c.Order <= maxGeneration*2 &&
		c.Switch >= 0 && isVersion(c.Version) && (c.Was == "" || isVersion(c.Was))
	return c, ok
}

func isVersion(text string) bool {
	_, err := versions.Parse(text)
	return err == nil && len(text) <= 100
}

func isCapability(text string) bool { return sdk.IsCapability(text) }

// newer reports whether the commit comes after another one. The order of signed statements
// decides where there is one.
func (c Commit) newer(than Commit) bool {
	if c.Order > 0 && than.Order > 0 && c.Order != than.Order {
		return c.Order > than.Order
	}
	return c.Generation > than.Generation
}

// inForce is the version that is current now.
func (c Commit) inForce(now int64) string {
	if now < c.Switch {
		return c.Was
	}
	return c.Version
}
