//go:build !linux

package server

func isSynchronized() (synchronized, known bool) { return false, false }
