//go:build race

package main

import "testing"

// unseen skips a test in which only other programs work, or one goroutine, of which the race
// detector sees nothing. scripts/test library runs these without it.
func unseen(t *testing.T) {
	t.Helper()
	t.Skip("the race detector sees nothing of it: scripts/test library")
}
