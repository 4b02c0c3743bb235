package versions

import "slices"

// Resolve returns the published version that a request means: the pinned one
// when it is published under exactly these bytes, or current when nothing is
// pinned. Otherwise the error is a *MismatchError. The caller vouches that
// current is published.
func Resolve(version string, pinned bool, published []string, current string) (string, error) {
	switch {
	case pinned && slices.Contains(published, version):
		return version, nil
	case pinned:
		return "", &MismatchError{Requested: version, Current: current, Available: Newest(published)}
	case current != "":
		return current, nil
	default:
		return "", &MismatchError{Available: Newest(published)}
	}
}
