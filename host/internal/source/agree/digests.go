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

// digests are the known first digests of versions.
type digests struct {
	first   map[string]string // by capability@version: the text in Redis, a digest and the address of the server that saw it first
	refused map[string]bool   // capability@version with another digest than the first
	renewed bool              // Redis has lost its data: Vet must exchange all digests again
	missed  bool              // the last exchange of digests was not possible
}

// reset makes the next Vet send all digests to Redis again.
func (d *digests) reset() { d.first, d.renewed = nil, true }

// digestForm is the form of the text in Redis for a version.
var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64} [!-~]{1,100}$`)

// Fresh reports whether Vet can return another result now.
func (a *Agreement) Fresh() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.alone() && (a.digests.renewed || a.digests.missed)
}

// Vet returns the releases, and sets Problem for each release with other bytes than the servers saw first.
// It stores the digests of releases that no server has seen before. If Redis does not answer, Vet leaves the
// releases unchanged, and [Agreement.Fresh] returns true until the next call.
func (a *Agreement) Vet(ctx context.Context, list []registry.Capability) []registry.Capability {
	if a == nil {
		return list
	}
	a.exchangeDigests(ctx, list)
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
			refused.Problem = fmt.Errorf("it was %s when the server at %s first saw it, and the registry of this server has %s. Publish changed bytes as another version, and restore the wrong registry. If the first bytes were wrong, remove them from Redis (HDEL %s %s) and from the seen files of all servers",
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

// exchangeDigests sends Redis the digests that it does not have yet, and reads the first digests.
func (a *Agreement) exchangeDigests(ctx context.Context, list []registry.Capability) {
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
		forged, err := a.storeDigests(ctx, &keys, chunk, epoch)
		if err == nil && len(forged) > 0 {
			_, err = a.storeDigests(ctx, &keys, forged, epoch)
		}
		if err != nil {
			return
		}
	}
}

// storeDigests stores digests in Redis, and records the digests that Redis has afterwards. For some
// digests, Redis can have a value without a valid seal. storeDigests returns these as forged. A second call
// with them replaces the values.
func (a *Agreement) storeDigests(ctx context.Context, keys *Keys, list []entry, epoch string) (forged []entry, err error) {
	others, err := a.redis.put(ctx, []string{keyDigests}, list)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || epoch != a.epoch || a.digests.first == nil {
		a.digests.missed = true
		return nil, err
	}
	for _, e := range list {
		value, other := others[e.name]
		if !other {
			value = e.value
		}
		first, sealed := keys.unseal(kindDigest, e.name, value)
		if !sealed {
			a.noteForgery(forgery{kindDigest, e.name})
			e.was = value
			forged = append(forged, e)
		} else if digestForm.MatchString(first) {
			a.digests.first[e.name] = first
		}
	}
	return forged, nil
}
