//go:build race

package main

import "testing"

// unseen skips a test in which only other programs work, which the race detector does not
// see. scripts/test library runs these without it.
func unseen(t *testing.T) {
	t.Helper()
	t.Skip("the race detector sees nothing of it: scripts/test library")
}
