package agree

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// Commit is the agreement of the servers about one capability.
type Commit struct {
	Generation uint64 // grows with every commit of the capability
	Order      uint64 // number of the signed statement that makes the version current; 0 if there is none
	Switch     int64  // when Version becomes current, in ms of Redis's clock
	Version    string
	Was        string // the current version before; "" if there was none
}

// maxGeneration is the largest valid generation. A script of Redis can add to it without loss.
const maxGeneration = 1 << 52

// noVersion represents an empty version in the text of a commit.
const noVersion = "-"

// String returns the text of the commit in Redis.
func (c Commit) String() string {
	was := c.Was
	if was == "" {
		was = noVersion
	}
	return fmt.Sprintf("%d %d %d %s %s", c.Generation, c.Order, c.Switch, c.Version, was)
}

// parseCommit parses the text of a commit, and reports whether it is valid.
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
	if words[4] != noVersion {
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

// newer reports whether the commit comes after another one. If both have the order of a signed statement,
// the order decides, otherwise the generation.
func (c Commit) newer(than Commit) bool {
	if c.Order > 0 && than.Order > 0 && c.Order != than.Order {
		return c.Order > than.Order
	}
	return c.Generation > than.Generation
}

// current returns the version that is current at a time of Redis's clock.
func (c Commit) current(now int64) string {
	if now < c.Switch {
		return c.Was
	}
	return c.Version
}
