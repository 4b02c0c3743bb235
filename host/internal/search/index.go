package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// Index finds the capabilities of one catalog. It is safe for concurrent use.
type Index struct {
	catalog   *calc.Catalog
	entries   []*calc.Entry
	documents map[*calc.Release][]part
	postings  map[string][]posting
	words     []string // all words in postings, to correct misspelt ones
}

// posting holds the score of a term in one capability.
type posting struct {
	entry  int
	weight float64
}

// Hit is one capability that was found.
type Hit struct {
	Entry *calc.Entry
	Score float64
}

// New returns an Index of the catalog.
func New(catalog *calc.Catalog) *Index { return new(Index).next(catalog) }

// next returns an Index of the catalog that follows. It reads only what x has not read.
func (x *Index) next(catalog *calc.Catalog) *Index {
	before := x.documents
	x = &Index{catalog: catalog, entries: catalog.Entries(), postings: map[string][]posting{}, documents: map[*calc.Release][]part{}}
	documents, st := make([][]part, len(x.entries)), stemmer{}
	for i, e := range x.entries {
		shown := e.Shown()
		parts, known := before[shown]
		if !known {
			parts = st.document(e, shown)
		}
		if documents[i] = parts; shown != nil {
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

// countTerms adds up the weighted number of occurrences of each term in the parts.
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

// saturation is k1 of BM25: the number of occurrences beyond which more of them matter little.
const saturation = 1.2

// scores returns the score of a term in each capability that contains it.
func (x *Index) scores(term string) map[int]float64 {
	list := x.postings[term]
	n, with := float64(len(x.entries)), float64(len(list))
	rarity := math.Log(1 + (n-with+0.5)/(with+0.5))
	scores := make(map[int]float64, len(list))
	for _, p := range list {
		scores[p.entry] = rarity * p.weight * (saturation + 1) / (p.weight + saturation)
	}
	return scores
}

// Search returns the capabilities that the question may be about, best first. The
// domain is the beginning of a capability id, such as mechanical or
// mechanical.statics; "" is all. An empty question lists the domain by id.
func (x *Index) Search(question, domain string) []Hit {
	if strings.TrimSpace(question) == "" {
		return x.list(domain)
	}
	total := map[int]float64{}
	for _, c := range x.read(question) {
		for entry, score := range x.best(c) {
			total[entry] += score
		}
	}
	var hits []Hit
	for entry, score := range total {
		if e := x.entries[entry]; within(e.ID, domain) {
			hits = append(hits, Hit{e, score})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	return hits
}

// best returns the score of the best reading of the concept in each capability.
func (x *Index) best(c concept) map[int]float64 {
	best := map[int]float64{}
	for _, r := range c {
		sum := map[int]float64{}
		for _, term := range r.terms {
			for entry, score := range x.scores(term) {
				sum[entry] += score * r.weight / math.Sqrt(float64(len(r.terms)))
			}
		}
		for entry, score := range sum {
			best[entry] = max(best[entry], score)
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

// Nearest returns up to n published ids that an unknown id probably means, one for each
// capability: first similar spellings, then capabilities found by the words in the id.
func (x *Index) Nearest(id string, n int) []string {
	var ids []string
	listed := map[*calc.Entry]bool{}
	add := func(e *calc.Entry, id string) {
		if len(ids) < n && !listed[e] {
			ids, listed[e] = append(ids, id), true
		}
	}
	if e, guess := x.catalog.Guess(id); e != nil {
		add(e, guess)
	}
	if strings.TrimSpace(id) != "" {
		for _, h := range x.Search(id, "") {
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

// Live holds the Index of a catalog that may be replaced. The zero value is usable. Live is
// safe for concurrent use.
type Live struct {
	last atomic.Pointer[Index]
}

// Of returns the Index of the catalog, which is built once for each.
func (l *Live) Of(catalog *calc.Catalog) *Index {
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
