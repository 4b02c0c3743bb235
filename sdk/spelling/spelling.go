// Package spelling finds what a caller probably meant.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// maxWord bounds the words compared, since they come from outside.
const maxWord = 64

// Nearest returns up to n of the known words, nearest to word first by edit
// distance without regard to case, and in their own order at equal distance.
func Nearest(word string, known []string, n int) []string {
	sorted := slices.Clone(known)
	distances := make(map[string]int, len(known))
	for _, k := range known {
		distances[k] = distance(fold(word), fold(k))
	}
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	return sorted[:min(n, len(sorted))]
}

// Guess returns the known word that word is a likely misspelling of, if any.
func Guess(word string, known []string) (string, bool) {
	best := Nearest(word, known, 1)
	if len(best) == 0 {
		return "", false
	}
	d := distance(fold(word), fold(best[0]))
	return best[0], d <= 2 && d < len(best[0]) || d <= len(best[0])/4
}

func fold(s string) string { return strings.ToLower(s[:min(len(s), maxWord)]) }

// distance is the Levenshtein distance of a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
