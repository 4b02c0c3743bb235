//go:build !unix

package regular

// withoutWaiting has no meaning where pipes are no files.
const withoutWaiting = 0
