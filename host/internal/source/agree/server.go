package agree

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Server is the record of a server for the other servers. Times are in ms of Redis's clock.
type Server struct {
	ID      string          `json:"-"`
	Address string          `json:"address"` // address on which it listens, for people
	Joined  int64           `json:"joined"`  // when it joined
	Signs   string          `json:"signs"`   // fingerprint of the key that signs its snapshots
	Knows   []string        `json:"knows"`   // fingerprints of all its keys
	Ready   bool            `json:"ready"`   // it receives requests
	ReadAt  int64           `json:"looked"`  // time of its registry's data
	SentAt  int64           `json:"told"`    // when it sent this record
	Wants   map[string]Want `json:"wants,omitempty"`

	// Admitted means that its keys matched the keys of the older servers, or that it was the first server.
	Admitted bool `json:"admitted"`
}

// Want is the current version in the registry of a server, if it differs from the agreed version.
type Want struct {
	Version  string `json:"version"`
	Order    uint64 `json:"order"`    // as in a [Commit]
	Base     uint64 `json:"base"`     // generation of the last commit with this registry's version
	Since    int64  `json:"since"`    // when the server first saw it
	Prepared bool   `json:"prepared"` // the server can serve it
	Urgent   bool   `json:"urgent"`   // the server serves it already, because the version before must not be served
}

// Limits of values that are read from Redis.
const (
	maxServers = 256
	maxWants   = 100
	maxKeys    = 100
	maxChanges = 500
	maxRecord  = 48 << 10 // bytes, without the seal
	maxSeal    = 4 << 10
	maxValue   = maxSeal + 512 // bytes of a commit or digest, with its seal
	maxTime    = 1 << 52
)

// sealed returns the record of the server with its seal, as Redis stores it.
func (h *Server) sealed(keys *Keys) string {
	record, err := json.Marshal(h)
	if err != nil {
		panic(err) // impossible: the type has only numbers, texts and booleans
	}
	return keys.seal(kindServer, h.ID, string(record))
}

// parseServer parses the record of a server without its seal, and reports whether it is valid.
func parseServer(id, record string) (h Server, ok bool) {
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
	for _, fingerprint := range append(slices.Clone(h.Knows), h.Signs) {
		if !isFingerprint(fingerprint) {
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

// isAddress reports whether the text, which comes from another server, can be printed in a log.
func isAddress(text string) bool {
	return len(text) <= 200 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// knowsKeyOf reports whether each of the two servers knows the signing key of the other.
func (h *Server) knowsKeyOf(o *Server) bool {
	return slices.Contains(h.Knows, o.Signs) && slices.Contains(o.Knows, h.Signs)
}

// byAge orders servers by the time when they joined, the oldest first.
func byAge(a, b Server) int { return cmp.Or(cmp.Compare(a.Joined, b.Joined), cmp.Compare(a.ID, b.ID)) }

// misfits returns the servers with keys that do not match the keys of an older server, each with the first
// such server. All servers compute the same result.
func misfits(servers []Server) map[string]*Server {
	sorted := slices.Clone(servers)
	slices.SortFunc(sorted, byAge)
	found := map[string]*Server{}
	var fit []*Server
	for i := range sorted {
		h := &sorted[i]
		if j := slices.IndexFunc(fit, func(elder *Server) bool { return !elder.knowsKeyOf(h) }); j >= 0 {
			found[h.ID] = fit[j]
			continue
		}
		fit = append(fit, h)
	}
	return found
}
