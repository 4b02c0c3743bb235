package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

// The number of capabilities that a search returns.
const (
	defaultResults = 3
	maxResults     = 20
)

// maxNearest is how many ids are suggested for an unknown id.
const maxNearest = 5

// searchResult is the result of a search.
type searchResult struct {
	Status       string `json:"status"`
	Capabilities []hit  `json:"capabilities"`
	Total        int    `json:"total"`
	NextCursor   string `json:"next_cursor,omitempty"`
	Suggestion   string `json:"suggestion,omitempty"`
}

// hit is a capability that a search found, with the inputs of its current version.
type hit struct {
	summary
	Inputs []field `json:"inputs,omitempty"`
}

// summary describes a capability in one line.
type summary struct {
	ID       string            `json:"capability_id"`
	Tool     string            `json:"tool,omitempty"`
	Title    string            `json:"title,omitempty"`
	Summary  string            `json:"summary,omitempty"`
	Tier     verification.Tier `json:"tier,omitempty"`
	Current  string            `json:"current_version,omitempty"`
	Versions []string          `json:"versions"`
}

func (s *Server) summarize(e *catalog.Entry) summary {
	of := s.service.View().Summarize(e)
	return summary{of.ID, of.Tool, of.Title, of.Summary, of.Tier, of.Current, of.VersionNames()}
}

// search answers search_capabilities.
func (s *Server) search(_ context.Context, _ *call, args arguments) ([]byte, error) {
	query, err := args.text("query")
	if err != nil {
		return nil, err
	}
	domain, err := args.text("domain")
	if err != nil {
		return nil, err
	}
	count, err := args.integer("limit", maxResults, defaultResults)
	if err != nil {
		return nil, err
	}
	cursor, err := args.text("cursor")
	if err != nil {
		return nil, err
	}
	from, err := readCursor(cursor, query, domain)
	if err != nil {
		return nil, err
	}
	hits := s.index.Of(s.service.Catalog()).Search(query, domain)
	return json.Marshal(s.page(hits, from, count, query, domain))
}

// page returns up to count hits from an index on, and the cursor of the next page.
func (s *Server) page(hits []search.Hit, from, count int, query, domain string) searchResult {
	out := searchResult{Status: "success", Capabilities: []hit{}, Total: len(hits)}
	from = min(from, len(hits))
	to := min(from+count, len(hits))
	for _, h := range hits[from:to] {
		one := hit{summary: s.summarize(h.Entry)}
		if r, err := h.Entry.Release(nil); err == nil {
			one.Inputs = brief(inputsOf(&r.Spec))
		}
		out.Capabilities = append(out.Capabilities, one)
	}
	if to < len(hits) {
		out.NextCursor = writeCursor(to, query, domain)
	}
	if len(hits) == 0 {
		out.Suggestion = "Say it with other words, without domain, or send an empty query to list what there is."
	}
	return out
}

// writeCursor encodes where a search continues. It includes a checksum of the search, because a cursor of
// another search would skip results.
func writeCursor(from int, query, domain string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%x", from, searchSum(query, domain)))
}

func readCursor(cursor, query, domain string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	at, sum, _ := strings.Cut(string(text), ".")
	from, convErr := strconv.Atoi(at)
	if err != nil || convErr != nil || from < 0 || writeCursor(from, query, domain) != cursor || sum == "" {
		return 0, invalidArgument("cursor", "Leave it out to start from the first page.", "cursor is not from a search for this query in this domain")
	}
	return from, nil
}

func searchSum(query, domain string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(query + "\x00" + domain))
	return h.Sum32()
}

// versionList is the answer to list_versions.
type versionList struct {
	Status   string    `json:"status"`
	ID       string    `json:"capability_id"`
	Tool     string    `json:"tool,omitempty"`
	Title    string    `json:"title,omitempty"`
	Current  string    `json:"current_version,omitempty"`
	Versions []version `json:"versions"`
}

// version is one published version.
type version struct {
	Version       string            `json:"calculation_version"`
	Current       bool              `json:"current"`
	Available     bool              `json:"available"`
	Tier          verification.Tier `json:"tier,omitempty"`
	EngineDigest  string            `json:"engine_digest,omitempty"`
	ReleaseDigest string            `json:"release_digest,omitempty"`

	Changes string `json:"changes,omitempty"`

	State     catalog.State `json:"state"`
	Reason    string        `json:"reason,omitempty"`
	Successor string        `json:"successor,omitempty"`
}

// listVersions answers list_versions.
func (s *Server) listVersions(_ context.Context, _ *call, args arguments) ([]byte, error) {
	e, err := s.find(args)
	if err != nil {
		return nil, err
	}
	of := s.service.View().Summarize(e)
	out := versionList{Status: "success", ID: of.ID, Tool: of.Tool, Title: of.Title, Current: of.Current, Versions: []version{}}
	for i := range of.Versions {
		v := &of.Versions[i]
		out.Versions = append(out.Versions, version{
			v.Version, v.Version == of.Current, v.Available, v.Tier, v.EngineDigest, v.ReleaseDigest, v.Changes, v.State, v.Reason, v.Successor,
		})
	}
	return json.Marshal(out)
}

// find returns the capability that the arguments name.
func (s *Server) find(args arguments) (*catalog.Entry, error) {
	id, err := args.text(capabilityArgument)
	if err != nil {
		return nil, err
	}
	e, err := s.service.Catalog().Find(id)
	if err != nil {
		return nil, s.notPublished(id, err)
	}
	return e, nil
}

// known returns the id of the capability that the arguments name, or an error if it does not exist. This check
// comes first: all other arguments of an unknown capability are irrelevant.
func (s *Server) known(args arguments) (string, error) {
	if _, err := s.find(args); err != nil {
		return "", err
	}
	return args.text(capabilityArgument)
}

// notPublished replaces the error for an unknown id by the error of MCP, which lists only the few most similar
// ids.
func (s *Server) notPublished(id string, err error) error {
	p := problem.Of(err)
	if p.Code != problem.CodeEngineNotFound {
		return err
	}
	nearest := s.index.Of(s.service.Catalog()).Nearest(id, maxNearest)
	suggestion := toolSearch + " finds capabilities by what they are for."
	if e, guess := s.service.Catalog().Guess(id); e != nil {
		suggestion = fmt.Sprintf("Did you mean %s? ", guess) + suggestion
	}
	p = problem.New(problem.CodeCapabilityNotFound, suggestion, "no capability or tool has the id %q", request.Clip(id))
	p.Field, p.AcceptableIDs = "capability_id", nearest
	return p
}

// pinsOf returns the version pins of a call that names a capability: the pins in its arguments and the pins
// outside the message.
func (c *call) pinsOf(args arguments) ([]versions.Pin, error) {
	if c.pinsErr != nil {
		return nil, c.pinsErr
	}
	pins := c.pins
	for _, one := range []struct {
		name  string
		means versions.Meaning
	}{{versions.PinName, versions.Exactly}, {versions.AsOfName, versions.AsOf}} {
		v, sent := args.Member(one.name)
		if !sent {
			continue
		}
		if err := request.RangeError(one.name, v); err != nil {
			return nil, err
		}
		pins = append([]versions.Pin{{Place: versions.InArgument, Name: one.name, Value: calc.PinValue(v), Means: one.means}}, pins...)
	}
	return pins, nil
}
