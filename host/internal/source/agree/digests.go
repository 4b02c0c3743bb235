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
			refused.Problem = fmt.Errorf("it was %s when the server at %s first saw it, and the registry of this server has %s: publish changed bytes as another version, and restore the registry that is wrong. If the first bytes were the wrong ones, remove them from Redis (HDEL %s %s) and from the seen files of all servers",
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
	keys := a.options.Keys()
	var pending []entry
	a.mu.Lock()
	if a.digests.first == nil {
		a.digests.first = map[string]string{}
	}
	for i := range list {
		for _, rel := range list[i].Releases {
			name := rel.Capability + "@" + rel.Version
			if mine := rel.Digest + " " + cmp.Or(a.options.Address, "unknown"); a.digests.first[name] == "" && rel.Problem == nil && digestForm.MatchString(mine) {
				pending = append(pending, entry{name: name, value: keys.seal(kindDigest, name, mine)})
			}
		}
	}
	alone, epoch := a.alone(), a.epoch
	a.digests.renewed, a.digests.missed = false, alone && len(pending) > 0
	a.mu.Unlock()
	if alone {
		return
	}
	for chunk := range slices.Chunk(pending, maxChanges) {
		forged, err := a.tell(ctx, &keys, chunk, epoch)
		if err == nil && len(forged) > 0 {
			_, err = a.tell(ctx, &keys, forged, epoch)
		}
		if err != nil {
			return
		}
	}
}

// tell stores digests, and notes what Redis has then. It returns the digests in whose place Redis
// has values without a valid seal: they replace those values if they are told again.
func (a *Agreement) tell(ctx context.Context, keys *Keys, told []entry, epoch string) (forged []entry, err error) {
	others, err := a.redis.put(ctx, []string{keyDigests}, told)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || epoch != a.epoch || a.digests.first == nil {
		a.digests.missed = true
		return nil, err
	}
	for _, e := range told {
		value, other := others[e.name]
		if !other {
			value = e.value
		}
		first, sealed := keys.unseal(kindDigest, e.name, value)
		if !sealed {
			a.disbelieve(forgery{kindDigest, e.name})
			e.was = value
			forged = append(forged, e)
		} else if digestForm.MatchString(first) {
			a.digests.first[e.name] = first
		}
	}
	return forged, nil
}
