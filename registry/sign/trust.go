package sign

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"aead.dev/minisign"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/regular"
)

// Role is a kind of statements that a key may sign.
type Role string

// The roles.
const (
	Publishes Role = "publish" // releases, and their lifecycle
	Reports   Role = "report"  // conformance reports
	Reviews   Role = "review"  // reviews within the organization
	Expert    Role = "expert"  // reviews, also as an independent expert
	Rebuilds  Role = "rebuild" // that building again gave the same bytes
	Logs      Role = "log"     // checkpoints of the log of a registry
	Witnesses Role = "witness" // that a checkpoint contradicts no earlier one
)

var roles = []Role{Publishes, Reports, Reviews, Expert, Rebuilds, Logs, Witnesses}

// Key is a trusted key.
//
// A key that was retired has not_after: its signatures up to that time still count. A key that
// others may have used has revoked_at. From then on no signature of it counts, because the
// signer alone states the time of a signature. Sign statements that are still valid again with
// another key.
type Key struct {
	Name         string     `json:"name" validate:"required"`
	PublicKey    string     `json:"public_key" validate:"minisign"` // the second line of NAME.pub
	Roles        []Role     `json:"roles" validate:"min=1,dive,oneof=publish report review expert rebuild log witness"`
	Capabilities []string   `json:"capabilities" validate:"min=1,dive,scope=."`            // ids, or prefixes such as electrical.*; * is all
	Tools        []string   `json:"tools,omitempty" validate:"omitnil,min=1,dive,scope=-"` // tool ids that it may name, and that only keys which list them may name; see [Trust.KeptFor]
	NotBefore    *time.Time `json:"not_before,omitempty"`
	NotAfter     *time.Time `json:"not_after,omitempty"`
	RevokedAt    *time.Time `json:"revoked_at,omitempty"`
	Reason       string     `json:"reason,omitempty" validate:"excluded_without=RevokedAt"` // of the revocation
}

// Trust is a trust file.
type Trust struct {
	keys []trusted
	log  *LogDemand // nil if no log is demanded
}

type trusted struct {
	Key
	public minisign.PublicKey
	via    []string // the keys from which it took over
}

// maxTrust bounds a trust file.
const maxTrust = 1 << 20

// ReadTrustFile reads a trust file that only its owner can change.
func ReadTrustFile(path string) (*Trust, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("trust file: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxTrust:
		return nil, fmt.Errorf("the trust file %s is not a regular file of at most %d bytes", path, maxTrust)
	case regular.Permits(info, 0o002) != 0:
		return nil, fmt.Errorf("the trust file %s can be changed by every user (mode %#o): chmod o-w it", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("trust file: %w", err)
	}
	t, err := ReadTrust(data)
	if err != nil {
		return nil, fmt.Errorf("trust file %s: %w", path, err)
	}
	return t, nil
}

// ReadTrust reads a trust file: {"keys": [...], "log": {...}}, see [Key] and [LogDemand].
func ReadTrust(data []byte) (*Trust, error) {
	var file struct {
		Keys []Key      `json:"keys"` // each key is checked on its own, so that errors name it
		Log  *LogDemand `json:"log"`
	}
	if err := json.Unmarshal(data, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, misread(err)
	}
	if len(file.Keys) == 0 {
		return nil, errors.New("it has no keys")
	}
	t := new(Trust)
	for i, k := range file.Keys {
		one, err := k.read()
		if err == nil && slices.ContainsFunc(t.keys, func(o trusted) bool { return o.Name == k.Name || o.public.Equal(one.public) }) {
			err = errors.New("another key has this name or these bytes")
		}
		if err != nil {
			return nil, fmt.Errorf("key %d, %.100q: %w", i+1, k.Name, err)
		}
		t.keys = append(t.keys, one)
	}
	return t, t.demand(file.Log)
}

// demand sets the demands on the log.
func (t *Trust) demand(d *LogDemand) error {
	if d == nil {
		return nil
	}
	witnesses := 0
	for _, k := range t.keys {
		if k.may([]Role{Witnesses}) {
			witnesses++
		}
	}
	if d.Witnesses < 0 || d.Witnesses > witnesses {
		return fmt.Errorf("log: witnesses is %d, and there are %d keys with the role %s", d.Witnesses, witnesses, Witnesses)
	}
	t.log = d
	return nil
}

// Check returns an error unless a trust file may have the key.
func (k *Key) Check() error {
	_, err := k.read()
	return err
}

// misread explains in the terms of a trust file where it has the wrong form.
func misread(err error) error {
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("it is not a JSON object: %w; slipstick keys --help shows the form", err)
	}
	at := cmpOr(string(wrong.JSONPointer), "the top")
	if errors.Is(wrong.Err, json.ErrUnknownName) {
		return fmt.Errorf("%s: there is no such member; a key has name, public_key, roles, capabilities, tools, not_before, not_after, revoked_at and reason", at)
	}
	if wrong.GoType == reflect.TypeFor[time.Time]() {
		return fmt.Errorf("%s: write a time such as 2027-01-01T00:00:00Z", at)
	}
	kinds := map[jsontext.Kind]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number", 'n': "null", 't': "true", 'f': "false"}
	return fmt.Errorf("%s: %s does not fit the form of a trust file; slipstick keys --help shows the form", at, kinds[wrong.JSONKind])
}

// form checks documents by their tags.
var form = documents.New(map[string]documents.Rule{
	"minisign": func(text, _ string) bool {
		var public minisign.PublicKey
		return public.UnmarshalText([]byte(text)) == nil
	},
	"scope": isScope,
})

// isScope reports whether a text is an id, a prefix of ids such as electrical.* with this
// separator, or * for all.
func isScope(text, separator string) bool {
	i := strings.IndexByte(text, '*')
	return text != "" && (i < 0 || i == len(text)-1 && (len(text) == 1 || strings.HasSuffix(text, separator+"*")))
}

func (k *Key) read() (trusted, error) {
	one := trusted{Key: *k}
	if err := form.Check(k, k.word); err != nil {
		return one, err
	}
	if k.Tools != nil && !slices.Contains(k.Roles, Publishes) {
		return one, fmt.Errorf("it has tools, which only a key with the role %s names", Publishes)
	}
	return one, one.public.UnmarshalText([]byte(k.PublicKey))
}

func (k *Key) word(f documents.Finding) error {
	switch f.Field + " " + f.Rule {
	case "name required":
		return errors.New("it has no name")
	case "public_key minisign":
		return errors.New("public_key is not the second line of a public key of minisign")
	case "roles min":
		return fmt.Errorf("it has no roles: %v", roles)
	case "roles oneof":
		return fmt.Errorf("unknown role %.40q: %v", f.Value, roles)
	case "capabilities min":
		return errors.New(`it has no capabilities: give ids, beginnings such as electrical.*, or "*" for all`)
	case "capabilities scope":
		return fmt.Errorf("capability %.100q is not an id, a prefix such as electrical.*, or *", f.Value)
	case "tools min":
		return errors.New(`tools is empty: leave it out, or give ids, beginnings such as pipe-*, or "*" for all`)
	case "tools scope":
		return fmt.Errorf("tool %.100q is not an id, a prefix such as pipe-*, or *", f.Value)
	case "reason excluded_without":
		return errors.New("it has a reason, but no revoked_at")
	}
	return nil
}

// covers reports whether the key may sign statements about the capability.
func (k *Key) covers(capability string) bool {
	return slices.ContainsFunc(k.Capabilities, func(c string) bool {
		beginning, open := strings.CutSuffix(c, "*")
		return c == capability || open && strings.HasPrefix(capability, beginning)
	})
}

// may reports whether the key has one of the roles.
func (k *Key) may(any []Role) bool {
	return slices.ContainsFunc(k.Roles, func(r Role) bool { return slices.Contains(any, r) })
}

// skew is how far the signer's clock may be ahead of ours.
const skew = 10 * time.Minute

// usable returns why a statement with the time at does not count now, or nil if it counts.
func (k *Key) usable(at, now time.Time) error {
	switch {
	case k.RevokedAt != nil && !now.Before(*k.RevokedAt):
		return fmt.Errorf("the key %q was revoked on %s: %s", k.Name, day(*k.RevokedAt), cmpOr(k.Reason, "no reason is given"))
	case k.NotBefore != nil && at.Before(*k.NotBefore):
		return fmt.Errorf("it was signed on %s, and the key %q counts only from %s on", day(at), k.Name, day(*k.NotBefore))
	case k.NotAfter != nil && at.After(*k.NotAfter):
		return fmt.Errorf("it was signed on %s, and the key %q expired on %s", day(at), k.Name, day(*k.NotAfter))
	case at.After(now.Add(skew)):
		return fmt.Errorf("it was signed on %s, which is in the future", at.UTC().Format(time.RFC3339))
	}
	return nil
}

func day(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func cmpOr(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

// ErrForged marks a document whose signature does not fit its content, or that is about
// another release. All other errors of a check are about the signer and the time.
var ErrForged = errors.New("forged")

// forgery is an error that matches ErrForged.
type forgery struct{ error }

func (forgery) Is(target error) bool { return target == ErrForged }

func forged(format string, args ...any) error { return forgery{fmt.Errorf(format, args...)} }

// Demand is the condition under which a statement counts.
type Demand struct {
	Kind    Kind
	Roles   []Role // one of them
	About   Subject
	Content string // digest of the document that comes with the statement, "" if there is none
	Now     time.Time
}

// Signature is who signed a statement, and when.
type Signature struct {
	Key   string    `json:"key,omitempty"` // its name in the trust file, "" if it is not known
	KeyID string    `json:"key_id"`
	Time  time.Time `json:"time,omitzero"` // by the signer's clock; zero if the key is not known
	Via   []string  `json:"via,omitempty"` // keys from which it took over
	Holds bool      `json:"holds"`         // the signer is known, and nothing was changed
	Tools []string  `json:"-"`             // tool ids that the key is limited to, nil if to none
}

// Check returns who signed, and an error if the signature does not count. The key may be
// unknown, revoked, or not allowed to sign this. The statement may be changed, about another
// release, or of a time at which the key did not count.
func (t *Trust) Check(s *Signed, d Demand) (Signature, error) {
	seen := Signature{KeyID: s.KeyID()}
	keys, broken := t.known(s.Rotations, d.Now)
	k, err := s.by(keys)
	if errors.Is(err, errUnknown) && broken != nil {
		err = fmt.Errorf("%w (%w)", err, broken)
	}
	if err != nil {
		return seen, err
	}
	st, err := s.Claims()
	seen.Key, seen.Via, seen.Time, seen.Holds, seen.Tools = k.Name, k.via, st.Time, err == nil, k.Tools
	if err != nil {
		return seen, err
	}
	if err := k.usable(st.Time, d.Now); err != nil {
		return seen, err
	}
	switch {
	case st.Kind != d.Kind:
		return seen, forged("it is a statement of the type %.40q, not %q", st.Kind, d.Kind)
	case !k.may(d.Roles):
		return seen, fmt.Errorf("the key %q has the roles %v, and this needs %v", k.Name, k.Roles, d.Roles)
	case !k.covers(d.About.Capability):
		return seen, fmt.Errorf("the key %q does not count for %s, only for %s", k.Name, d.About.Capability, strings.Join(k.Capabilities, ", "))
	}
	return seen, st.fits(d)
}

// fits returns an error unless the statement is about exactly this release and document.
func (st *Statement) fits(d Demand) error {
	switch {
	case st.Capability != d.About.Capability || st.Version != d.About.Version:
		return forged("it is about %.200q %.100q", st.Capability, st.Version)
	case st.Release != d.About.Release:
		return forged("it is about the release %.100q, not %s", st.Release, d.About.Release)
	case st.Content != d.Content:
		return forged("it is about a document %.100q, and %s came with it", st.Content, cmpOr(d.Content, "none"))
	}
	if len(st.Engines) != len(d.About.Engines) {
		return forged("it is about %d engines, and the release has %d", len(st.Engines), len(d.About.Engines))
	}
	for platform, engine := range d.About.Engines {
		if st.Engines[platform] != engine {
			return forged("it is about the engine %.100q for %s, and the release has %s", st.Engines[platform], platform, engine)
		}
	}
	return nil
}

// known returns the keys of the file and their successors. The error explains why a further
// successor does not count.
func (t *Trust) known(rotations []byte, now time.Time) ([]trusted, error) {
	keys := slices.Clone(t.keys)
	chain, err := readChain(rotations)
	if err != nil {
		return keys, err
	}
	var broken error
	for _, l := range chain {
		next, err := l.follow(keys, now)
		if err != nil {
			broken = err
			continue
		}
		listed := func(k trusted) bool { return k.public.Equal(next.public) }
		if !slices.ContainsFunc(keys, listed) { // the trust file has precedence for a key that it lists
			keys = append(keys, next)
		}
	}
	return keys, broken
}
