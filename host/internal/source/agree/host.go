package agree

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Host is what a host tells the others. Times are in ms of Redis's clock.
type Host struct {
	ID      string          `json:"-"`
	Address string          `json:"address"` // that it listens on, for people
	Joined  int64           `json:"joined"`  // since when it takes part
	Signs   string          `json:"signs"`   // fingerprint of the key that signs its snapshots
	Knows   []string        `json:"knows"`   // fingerprints of all its keys
	Ready   bool            `json:"ready"`   // requests are sent to it
	ReadAt  int64           `json:"looked"`  // what it knows of its registry is of that time
	SentAt  int64           `json:"told"`    // when it told this
	Wants   map[string]Want `json:"wants,omitempty"`

	// Admitted says that its keys fit to those of hosts that were there before, or that there were none.
	Admitted bool `json:"admitted"`
}

// Want is what the registry of a host says, where that is not what is agreed.
type Want struct {
	Version  string `json:"version"`
	Order    uint64 `json:"order"`    // as in a Commit
	Base     uint64 `json:"base"`     // generation of the last commit with which the registry agreed
	Since    int64  `json:"since"`    // when the host has first seen it
	Prepared bool   `json:"prepared"` // the host can serve it
	Urgent   bool   `json:"urgent"`   // the host serves it already: what was current may not be served
}

// Bounds of what is read from Redis.
const (
	maxHosts   = 256
	maxWants   = 100
	maxKeys    = 100
	maxChanges = 500
	maxRecord  = 48 << 10 // bytes, without the seal
	maxSeal    = 4 << 10
	maxValue   = maxSeal + 512 // of a commit or digest, with its seal
	maxTime    = 1 << 52
)

// sealed is the record of the host, as Redis keeps it.
func (h *Host) sealed(keys *Keys) string {
	record, err := json.Marshal(h)
	if err != nil {
		panic(err) // it has numbers, texts and truth values only
	}
	return keys.seal(kindHost, h.ID, string(record))
}

// parseHost reads the record of a host, without its seal. A text that is not one is not ok.
func parseHost(id, record string) (h Host, ok bool) {
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" || len(record) > maxRecord {
		return h, false
	}
	if json.Unmarshal([]byte(record), &h) != nil {
		return h, false
	}
	h.ID = id
	if !isAddress(h.Address) || len(h.Wants) > maxWants || len(h.Knows) > maxKeys || !isTime(h.Joined) || !isTime(h.ReadAt) || !isTime(h.SentAt) {
		return h, false
	}
	for _, print := range append(slices.Clone(h.Knows), h.Signs) {
		if !isFingerprint(print) {
			return h, false
		}
	}
	for capability, w := range h.Wants {
		if !isCapability(capability) || !isVersion(w.Version) || !isTime(w.Since) || w.Order > maxGeneration*2 || w.Base > maxGeneration {
			return h, false
		}
	}
	return h, true
}

func isTime(ms int64) bool { return 0 <= ms && ms <= maxTime }

func isFingerprint(text string) bool {
	return len(text) == 32 && strings.Trim(text, "0123456789abcdef") == ""
}

// isAddress reports whether the text can be shown in a log: it comes from elsewhere.
func isAddress(text string) bool {
	return len(text) <= 200 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// knowsKeyOf reports whether each of the two hosts knows the key with which the other signs.
func (h *Host) knowsKeyOf(o *Host) bool {
	return slices.Contains(h.Knows, o.Signs) && slices.Contains(o.Knows, h.Signs)
}

// byAge orders hosts by the time since when they take part.
func byAge(a, b Host) int { return cmp.Or(cmp.Compare(a.Joined, b.Joined), cmp.Compare(a.ID, b.ID)) }

// misfits returns the hosts that do not fit to those which were there before, each with the
// first of these. All hosts come to the same result.
func misfits(hosts []Host) map[string]*Host {
	sorted := slices.Clone(hosts)
	slices.SortFunc(sorted, byAge)
	found := map[string]*Host{}
	var fit []*Host
	for i := range sorted {
		h := &sorted[i]
		if j := slices.IndexFunc(fit, func(elder *Host) bool { return !elder.knowsKeyOf(h) }); j >= 0 {
			found[h.ID] = fit[j]
			continue
		}
		fit = append(fit, h)
	}
	return found
}
