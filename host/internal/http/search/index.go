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
	Entry   *catalog.Entry
	Score   float64
	covered float64 // covered part of the weight of the question
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

// scores returns the score of a term in each capability that contains it.
func (x *Index) scores(term string) map[int]float64 {
	list := x.postings[term]
	n, with := len(x.entries), len(list)
	rarity := rarityOf(with, n)
	scores := make(map[int]float64, len(list))
	for _, p := range list {
		scores[p.entry] = rarity * p.weight * (saturation + 1) / (p.weight + saturation)
	}
	return scores
}

// Search returns the capabilities that match the question, best first. It returns none if the capabilities
// contain too few of the question's words. The domain is the start of a capability id, such as mechanical or
// mechanical.statics; "" means all. An empty question lists the domain by id.
func (x *Index) Search(question, domain string) []Hit {
	if strings.TrimSpace(question) == "" {
		return x.list(domain)
	}
	hits := x.rank(x.read(question), domain)
	if len(hits) == 0 || hits[0].covered < enough {
		return nil
	}
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

// Thresholds of the search. They were chosen with the questions of the tests: the correct answer to each covers
// at least 0.39 of the question.
const (
	enough    = 0.38 // part of the weight of a question that its best answer must cover
	near      = 0.4  // part of the best score that the other hits must have
	ofUnknown = 0.6  // weight of a word that no capability has, relative to a word that one capability has
)

// rank returns all capabilities with any of the concepts, best first.
func (x *Index) rank(concepts []concept, domain string) []Hit {
	total, covered, whole := map[int]float64{}, map[int]float64{}, 0.0
	for _, c := range concepts {
		scores, weight := x.best(c), x.weight(c)
		most := 0.0
		for _, score := range scores {
			most = max(most, score)
		}
		for entry, score := range scores {
			total[entry] += score
			covered[entry] += weight * score / most
		}
		whole += weight
	}
	var hits []Hit
	for entry, score := range total {
		if e := x.entries[entry]; within(e.ID, domain) {
			hits = append(hits, Hit{e, score, covered[entry] / max(whole, math.SmallestNonzeroFloat64)})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	return hits
}

// weight returns the weight of a concept: the rarity of its rarest term. A concept that is a known value has no
// weight.
func (x *Index) weight(c concept) float64 {
	if len(c) == 0 {
		return ofUnknown * rarityOf(0, len(x.entries))
	}
	weight := 0.0
	for _, r := range c {
		for _, term := range r.terms {
			if r.weight != ofAmount {
				weight = max(weight, rarityOf(len(x.postings[term]), len(x.entries)))
			}
		}
	}
	return weight
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
