//go:build !race

package main

import "testing"

// unseen marks a test in which only other programs work: see watched_test.go.
func unseen(*testing.T) {}
