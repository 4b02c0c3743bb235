package versions

import "slices"

// Resolve returns the published version that a request means. A pinned version must be
// published with exactly the same bytes. Without a pin the result is current. In all other
// cases the error is a *MismatchError.
//
// Resolve does not check that current is published; the caller must.
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
