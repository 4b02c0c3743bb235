package agree

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/registry"
)

// digests is what is known of the first bytes of every version.
type digests struct {
	first   map[string]string // of capability@version, and the address of the host that saw it first, as Redis has it
	refused map[string]bool
	renewed bool // Redis has to be asked anew about everything
	missed  bool // Redis could not be asked
}

// forget makes the next look tell Redis of everything.
func (d *digests) forget() { d.first, d.renewed = nil, true }

// digestForm is that of what Redis keeps of a version.
var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64} [!-~]{1,100}$`)

// Fresh reports whether Vet may now come to other results than before.
func (a *Agreement) Fresh() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.alone() && (a.digests.renewed || a.digests.missed)
}

// Vet returns the releases with a Problem for those whose bytes are not the ones that the
// hosts saw first. What no host has seen yet is kept for the others. What Redis does not
// answer for stays as it is, and is asked again, see Fresh.
func (a *Agreement) Vet(ctx context.Context, list []registry.Capability) []registry.Capability {
	if a == nil {
		return list
	}
	a.ask(ctx, list)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.digests.refused = map[string]bool{}
	out := slices.Clone(list)
	for i := range out {
		cloned := false
		for j, rel := range out[i].Releases {
			name := rel.Capability + "@" + rel.Version
			digest, by, known := strings.Cut(a.digests.first[name], " ")
			if !known || rel.Digest == "" || digest == rel.Digest {
				continue
			}
			refused := *rel
			refused.Problem = fmt.Errorf("it was %s when the host at %s first saw it, and the registry of this host says %s: publish changed bytes as another version, and restore the registry that is wrong; if the first bytes were the wrong ones, remove them from Redis (HDEL %s %s) and from the seen files of all hosts",
				digest, by, rel.Digest, keyDigests, name)
			if !cloned {
				out[i].Releases, cloned = slices.Clone(out[i].Releases), true
			}
			out[i].Releases[j] = &refused
			a.digests.refused[name] = true
		}
	}
	return out
}

// ask tells Redis of what it was not told yet.
func (a *Agreement) ask(ctx context.Context, list []registry.Capability) {
	var pending []string
	a.mu.Lock()
	if a.digests.first == nil {
		a.digests.first = map[string]string{}
	}
	for i := range list {
		for _, rel := range list[i].Releases {
			name := rel.Capability + "@" + rel.Version
			if mine := rel.Digest + " " + cmp.Or(a.options.Address, "unknown"); a.digests.first[name] == "" && rel.Problem == nil && digestForm.MatchString(mine) {
				pending = append(pending, name, mine)
			}
		}
	}
	alone, epoch := a.alone(), a.epoch
	a.digests.renewed, a.digests.missed = false, alone && len(pending) > 0
	a.mu.Unlock()
	if alone {
		return
	}
	for chunk := range slices.Chunk(pending, 2*maxChanges) {
		others, err := a.redis.digests(ctx, chunk)
		a.mu.Lock()
		if err != nil || epoch != a.epoch {
			a.digests.missed = true
		} else {
			a.note(chunk, others)
		}
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// note keeps what Redis said. What has not the form of a digest counts as not said.
func (a *Agreement) note(asked []string, others map[int]string) {
	for i := 0; i < len(asked); i += 2 {
		first, other := others[i/2]
		if !other {
			first = asked[i+1]
		}
		if digestForm.MatchString(first) {
			a.digests.first[asked[i]] = first
		}
	}
}
