//go:build !unix

package regular

// withoutWaiting has no meaning where pipes are not files.
const withoutWaiting = 0
