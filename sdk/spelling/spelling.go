// Package spelling finds the known word that a misspelled word probably means. Use it in error
// messages, such as `unknown flag --prot, did you mean "--port"?`. [Guess] returns one word or
// none, and [Nearest] returns several. [Distance] is the edit distance that both use. The work is
// bounded, so words can come from untrusted sources.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// MaxWord is the length of the longest word that is compared, in bytes. Words come from
// outside, and comparing two of them takes time in proportion to both lengths.
const MaxWord = 128

// Nearest returns up to n of the known words, nearest to word first by edit distance without
// regard to case. Words at equal distance keep their order. For a word longer than MaxWord the
// result is the first n.
func Nearest(word string, known []string, n int) []string {
	sorted := slices.Clone(known)
	if len(word) <= MaxWord {
		distances := make(map[string]int, len(known))
		for _, k := range known {
			distances[k] = Distance(word, k)
		}
		slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	}
	return sorted[:min(n, len(sorted))]
}

// Guess returns the known word that word probably misspells, if any. The number of letters
// that can differ depends on the length: almost any short word is two letters away from
// another one.
func Guess(word string, known []string) (string, bool) {
	best, least := "", MaxWord+1
	for _, k := range known {
		allowed := tolerance(min(len(word), len(k)))
		if len(word) > MaxWord || abs(len(word)-len(k)) > allowed {
			continue
		}
		if d := Distance(word, k); d <= allowed && d < least {
			best, least = k, d
		}
	}
	return best, least <= MaxWord
}

// tolerance returns the largest number of edits in a misspelling of a word of n bytes.
func tolerance(n int) int {
	const most = 8
	switch {
	case n <= 2:
		return 0
	case n <= 5:
		return 1
	case n <= 8:
		return 2
	}
	return min(n/4, most)
}

func abs(n int) int { return max(n, -n) }

// Distance returns how many bytes of a have to be replaced, added, removed or swapped with
// their neighbour to get b, without regard to case. It uses only the first MaxWord bytes of a
// word.
func Distance(a, b string) int {
	a, b = fold(a), fold(b)
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}

func fold(s string) string { return strings.ToLower(s[:min(len(s), MaxWord)]) }
