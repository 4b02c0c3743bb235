package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
)

// Index finds the capabilities of one catalog. It is safe for concurrent use.
type Index struct {
	catalog   *catalog.Catalog
	entries   []*catalog.Entry
	documents map[*catalog.Release][]part
	postings  map[string][]posting
	words     []string // all words in postings, to correct misspelt words
	related   sync.Map // []*catalog.Entry by *catalog.Entry, computed on demand
}

// posting holds the score of a term in one capability.
type posting struct {
	entry  int
	weight float64
}

// Hit is a capability that a search found.
type Hit struct {
	Entry    *catalog.Entry
	Score    float64
	answers  bool    // it meets the demand of the question
	covered  float64 // covered weight of the question
	evidence float64 // prominence of all concepts without corrected spellings
	found    int     // concepts of the question that the capability has
}

// New returns an Index of the catalog.
func New(catalog *catalog.Catalog) *Index { return new(Index).next(catalog) }

// next returns an Index of the catalog that replaces the catalog of x. It reads only entries that x has not
// read.
func (x *Index) next(published *catalog.Catalog) *Index {
	before := x.documents
	x = &Index{catalog: published, entries: published.Entries(), postings: map[string][]posting{}, documents: map[*catalog.Release][]part{}}
	documents, st := make([][]part, len(x.entries)), stemmer{}
	for i, e := range x.entries {
		shown := e.Shown()
		parts, known := before[shown]
		if !known {
			parts = st.document(e, shown)
		}
		documents[i] = parts
		if shown != nil {
			x.documents[shown] = parts
		}
	}
	average := averages(documents)
	for i, parts := range documents {
		for term, weight := range countTerms(parts, average) {
			x.postings[term] = append(x.postings[term], posting{i, weight})
		}
	}
	for term := range x.postings {
		if !strings.Contains(term, ":") {
			x.words = append(x.words, term)
		}
	}
	slices.Sort(x.words)
	return x
}

// averages returns the average number of terms of each part.
func averages(documents [][]part) []float64 {
	var sums []float64
	for _, parts := range documents {
		for i, p := range parts {
			if i == len(sums) {
				sums = append(sums, 0)
			}
			sums[i] += float64(len(p.terms)) / float64(len(documents))
		}
	}
	return sums
}

// countTerms returns the weighted number of occurrences of each term in the parts.
func countTerms(parts []part, average []float64) map[string]float64 {
	weights := map[string]float64{}
	for i, p := range parts {
		length := 1 - p.dilution + p.dilution*float64(len(p.terms))/average[i]
		for _, term := range p.terms {
			weights[term] += p.weight / length
		}
	}
	return weights
}

// saturation is k1 of BM25: the number of occurrences above which further occurrences hardly count.
const saturation = 1.2

// rarityOf returns the inverse document frequency of BM25 for a term in this number of n capabilities.
func rarityOf(with, n int) float64 {
	return math.Log(1 + (float64(n-with)+0.5)/(float64(with)+0.5))
}

// Search returns the capabilities that match the question, best first. Each meets the demand of the question. The
// domain is the start of a capability id, such as mechanical or mechanical.statics; "" means all. An empty
// question lists the domain by id.
func (x *Index) Search(question, domain string) []Hit {
	if strings.TrimSpace(question) == "" {
		return x.list(domain)
	}
	hits := slices.DeleteFunc(x.rank(x.read(question), domain), func(h Hit) bool { return !h.answers })
	return slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < near*hits[0].Score })
}

// maxRelated is the maximum number of related capabilities.
const maxRelated = 4

// Related returns the most similar capabilities of the same domain, best first. It caches the result, because
// every calculator page needs it.
func (x *Index) Related(e *catalog.Entry) []*catalog.Entry {
	if found, ok := x.related.Load(e); ok {
		return found.([]*catalog.Entry)
	}
	found := x.findRelated(e)
	x.related.Store(e, found)
	return found
}

func (x *Index) findRelated(e *catalog.Entry) []*catalog.Entry {
	shown := e.Shown()
	if shown == nil {
		return nil
	}
	var list []*catalog.Entry
	best := 0.0
	domain, _, _ := strings.Cut(e.ID, ".") // a power factor and the factor of a heat exchanger share only a word
	for _, h := range x.rank(x.read(shown.Spec.Title+" "+strings.Join(shown.Spec.Keywords, " ")), domain) {
		if h.Entry == e || len(list) == maxRelated {
			continue
		}
		best = max(best, h.Score)
		if h.Score < near*best {
			break
		}
		list = append(list, h.Entry)
	}
	return list
}

// near is the part of the best score that the other hits must have.
const near = 0.4

// The lower bound of the search. A question is about a capability if the capability has two concepts of the
// question, or all of them. A single common word does not make a hit: "column in a newspaper" is not about buckling.
//
// A concept counts by its prominence in the capability. A word of the title counts nearly as 1, and a word in the
// explanation of an input counts little. The correction of a spelling does not count as one of two concepts.
//
// The capability must also cover enough of the question. Here each concept counts by its rarity and its
// prominence, and an unknown word counts as the rarest one. Sentences have many words, so the weight of the
// question is limited to a few unknown words.
//
// The questions in tools/system/testdata measure the bound.
const (
	two       = 1.2  // prominence of two concepts together
	prominent = 0.45 // prominence of a concept that the capability has
	enough    = 0.42 // covered part of the weight of the question
	counting  = 2    // unknown words that limit the weight of a question
)

// demand is the demand of a question on its answers.
type demand struct {
	concepts int     // without known values
	covered  float64 // weight
}

// demandOf returns the demand of a question with the weights of its concepts.
func (x *Index) demandOf(weights []float64) demand {
	var d demand
	for _, weight := range weights {
		if weight > 0 {
			d.concepts++
			d.covered += weight
		}
	}
	d.covered = enough * min(d.covered, counting*rarityOf(0, len(x.entries)))
	return d
}

// metBy reports whether the capability of the hit answers the question.
func (d demand) metBy(h *Hit) bool {
	all := h.found == d.concepts && (d.concepts > 0 || h.evidence >= prominent)
	return h.covered >= d.covered && (h.evidence >= two || all)
}

// rank returns all capabilities with any of the concepts, best first.
func (x *Index) rank(concepts []concept, domain string) []Hit {
	hits, weights := map[int]*Hit{}, make([]float64, len(concepts))
	for i, c := range concepts {
		weights[i] = x.weight(c)
		for entry, m := range x.best(c) {
			h := hits[entry]
			if h == nil {
				h = &Hit{Entry: x.entries[entry]}
				hits[entry] = h
			}
			h.Score += m.score
			h.covered += weights[i] * m.prominence
			if weights[i] > 0 && m.prominence >= prominent {
				h.found++
			}
			if !c.guessed() {
				h.evidence += m.prominence
			}
		}
	}
	d := x.demandOf(weights)
	var list []Hit
	for _, h := range hits {
		if within(h.Entry.ID, domain) {
			h.answers = d.metBy(h)
			list = append(list, *h)
		}
	}
	slices.SortFunc(list, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	return list
}

// weight returns the weight of a concept: the rarity of its rarest term. A concept that is a known value has no
// weight.
func (x *Index) weight(c concept) float64 {
	if len(c) == 0 {
		return rarityOf(0, len(x.entries))
	}
	weight := 0.0
	for _, r := range c {
		if r.weight == ofAmount {
			return 0
		}
		for _, term := range r.terms {
			weight = max(weight, rarityOf(len(x.postings[term]), len(x.entries)))
		}
	}
	return weight
}

// match is the match of a concept with a capability: the score, and the prominence from 0 to 1 of the concept
// there.
type match struct{ score, prominence float64 }

// best returns the match of the best reading of the concept in each capability.
func (x *Index) best(c concept) map[int]match {
	best := map[int]match{}
	for _, r := range c {
		sum := map[int]match{}
		n := float64(len(r.terms))
		for _, term := range r.terms {
			list := x.postings[term]
			rarity := rarityOf(len(list), len(x.entries))
			for _, p := range list {
				saturated, m := p.weight/(p.weight+saturation), sum[p.entry]
				m.score += r.weight * rarity * (saturation + 1) * saturated / math.Sqrt(n)
				m.prominence += r.certainty() * saturated / n
				sum[p.entry] = m
			}
		}
		for entry, m := range sum {
			before := best[entry]
			best[entry] = match{max(before.score, m.score), max(before.prominence, min(m.prominence, 1))}
		}
	}
	return best
}

func (x *Index) list(domain string) []Hit {
	var hits []Hit
	for _, e := range x.entries {
		if within(e.ID, domain) {
			hits = append(hits, Hit{Entry: e})
		}
	}
	return hits
}

func within(id, domain string) bool {
	return domain == "" || id == domain || strings.HasPrefix(id, domain+".")
}

// Nearest returns up to n published ids that an unknown id probably means, one for each capability. The most
// similar spelling comes first, then capabilities that a search for the words in the id finds.
func (x *Index) Nearest(id string, n int) []string {
	var ids []string
	listed := map[*catalog.Entry]bool{}
	add := func(e *catalog.Entry, id string) {
		if len(ids) < n && !listed[e] {
			ids, listed[e] = append(ids, id), true
		}
	}
	if e, guess := x.catalog.Guess(id); e != nil {
		add(e, guess)
	}
	if strings.TrimSpace(id) != "" {
		for _, h := range x.rank(x.read(id), "") {
			add(h.Entry, h.Entry.ID)
		}
	}
	for _, near := range x.catalog.Nearest(id, n) {
		if e, err := x.catalog.Find(near); err == nil {
			add(e, near)
		}
	}
	return ids
}

// Live holds the Index of a catalog that can be replaced. The zero value is usable. Live is safe for concurrent
// use.
type Live struct {
	last atomic.Pointer[Index]
}

// Of returns the Index of the catalog, and builds it once for each catalog.
func (l *Live) Of(catalog *catalog.Catalog) *Index {
	last := l.last.Load()
	if last != nil && last.catalog == catalog {
		return last
	}
	if last == nil {
		last = new(Index)
	}
	next := last.next(catalog)
	l.last.Store(next)
	return next
}
