// Package calllog passes the logger of a call from package wire, which makes it, to package sdk,
// which gives it to the author. The context of the call has a [Maker] under the [Key].
package calllog

import "github.com/hashicorp/go-hclog"

// Key is the key of the Maker in the context of a call.
type Key struct{}

// Maker makes the logger of a call. A call that logs nothing makes none.
type Maker interface {
	Logger() hclog.Logger
}
