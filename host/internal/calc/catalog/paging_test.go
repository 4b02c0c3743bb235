package catalog_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
)

// library has a capability for each number, sorted by id.
func library(numbers ...int) *catalog.Catalog {
	slices.Sort(numbers)
	var list []registry.Capability
	for _, n := range numbers {
		list = append(list, registry.Capability{ID: fmt.Sprintf("test.pages.n%04d", n)})
	}
	return catalog.New(list)
}

func upTo(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}

// pages collects all pages. Between two pages, next replaces the catalog.
func pages(t *testing.T, published *catalog.Catalog, limit string, next func(*catalog.Catalog) *catalog.Catalog) (ids []string, n int) {
	t.Helper()
	for p := (catalog.Page{Limit: limit}); ; n++ {
		part, cursor, err := catalog.PageOf("all", published.Entries(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range part {
			ids = append(ids, e.ID)
		}
		p.Cursor = cursor
		if cursor == "" {
			return ids, n + 1
		}
		published = next(published)
	}
}

func same(c *catalog.Catalog) *catalog.Catalog { return c }

// The pages together are the whole list in order, for each page size.
func TestPages(t *testing.T) {
	for _, size := range []int{0, 1, 199, 200, 201, 1000} {
		published := library(upTo(size)...)
		for _, limit := range []string{"", "1", "7", "200"} {
			most := catalog.MaxPage
			if limit != "" {
				most, _ = strconv.Atoi(limit)
			}
			ids, n := pages(t, published, limit, same)
			if want := max(1, (size+most-1)/most); n != want {
				t.Errorf("%d by %q: %d pages, want %d", size, limit, n, want)
			}
			if whole := published.Entries(); len(ids) != len(whole) || !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
				t.Errorf("%d by %q: %d ids, sorted and each once? %v", size, limit, len(ids), slices.IsSorted(ids))
			}
		}
	}
}

// A capability that is published during all requests is on exactly one page, whatever else is
// published or removed between two pages.
func TestPagesWhileSomethingIsPublished(t *testing.T) {
	even := func() (numbers []int) {
		for i := range 50 {
			numbers = append(numbers, 20*i)
		}
		return numbers
	}
	for step := range 20 {
		added := 0
		ids, _ := pages(t, library(append(even(), 1, 501, 981)...), "7", func(*catalog.Catalog) *catalog.Catalog {
			added++ // one before, inside and after the pages so far, in turn; 1, 501 and 981 are removed
			return library(append(even(), (step+20*added*13)%1000+3)...)
		})
		seen := map[string]int{}
		for _, id := range ids {
			seen[id]++
		}
		for _, n := range even() {
			if id := fmt.Sprintf("test.pages.n%04d", n); seen[id] != 1 {
				t.Errorf("step %d: %s is on %d pages", step, id, seen[id])
			}
		}
		if !slices.IsSorted(ids) {
			t.Errorf("step %d: %v", step, ids)
		}
	}
}

// Each invalid or out-of-range parameter is refused by its name.
func TestPageParameters(t *testing.T) {
	published := library(upTo(30)...)
	_, cursor, err := catalog.PageOf("all", published.Entries(), catalog.Page{Limit: "10"})
	if err != nil || cursor == "" {
		t.Fatal(cursor, err)
	}
	_, _, ofHits, err := catalog.RangeOf("all", 30, catalog.Page{Limit: "10"})
	if err != nil || ofHits == "" {
		t.Fatal(ofHits, err)
	}
	for _, limit := range []string{"0", "-1", "201", "ten", "1.0", "1e1", " 1", "99999999999999999999"} {
		refused(t, "limit", catalog.Page{Limit: limit})
	}
	for _, bad := range []string{"x", "!", cursor[1:], cursor + "A", cursor + "=", strings.ToUpper(cursor), "0" + cursor, strings.Repeat("A", 5000),
		base64.RawURLEncoding.EncodeToString([]byte("test.pages.n0009"))} {
		refused(t, "cursor", catalog.Page{Cursor: bad})
	}
	if _, _, err := catalog.PageOf("other", published.Entries(), catalog.Page{Cursor: cursor}); err == nil {
		t.Error("the cursor of another list was taken")
	}
	if _, _, _, err := catalog.RangeOf("all", 30, catalog.Page{Cursor: cursor}); err == nil {
		t.Error("a cursor of ids was taken for one of hits")
	}
	for _, limit := range []string{"1", "200"} {
		if _, _, err := catalog.PageOf("all", published.Entries(), catalog.Page{Limit: limit, Cursor: cursor}); err != nil {
			t.Errorf("limit %s: %v", limit, err)
		}
	}
}

func refused(t *testing.T, field string, p catalog.Page) {
	t.Helper()
	_, _, err := catalog.PageOf("all", library(upTo(30)...).Entries(), p)
	_, _, _, ofHits := catalog.RangeOf("all", 30, p)
	for _, err := range []error{err, ofHits} {
		if err == nil {
			t.Errorf("%.40q was taken", p)
			continue
		}
		if got := problem.Of(err); got.Code != problem.CodeInvalidQuery || got.Status() != 400 || got.Field != field || got.Suggestion == "" {
			t.Errorf("%.40q: %+v", p, got)
		}
	}
}

// The ranges together are the whole list of hits. A cursor after its end means its end.
func TestRanges(t *testing.T) {
	at := 0
	for p := (catalog.Page{Limit: "30"}); ; {
		from, to, next, err := catalog.RangeOf("?q=x", 100, p)
		if err != nil || from != at || to != min(at+30, 100) {
			t.Fatalf("%d to %d after %d, %v", from, to, at, err)
		}
		at, p.Cursor = to, next
		if next == "" {
			break
		}
		if from, to, _, err := catalog.RangeOf("?q=x", 5, p); err != nil || from != 5 || to != 5 {
			t.Errorf("of fewer hits: %d to %d, %v", from, to, err)
		}
	}
	if at != 100 {
		t.Errorf("the last one ends at %d", at)
	}
}
