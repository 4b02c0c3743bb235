package load

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"
)

// Known calls a server for a version without a pause until it is answered, and returns the time of the answer. The
// only allowed error is that the version is unknown to the server.
func Known(ctx context.Context, target netip.AddrPort, crowd *Crowd, version string) (time.Time, error) {
	const patience, rest = 10 * time.Second, 5 * time.Millisecond
	l := &Load{target: target, patience: patience}
	body := fmt.Appendf(nil, `{"x":1,"calculation_version":%q}`, version)
	for {
		c := &client{load: l, addr: crowd.Take(), target: target}
		for range pinnedCalls {
			a, err := c.send(ctx, request{http.MethodPost, "/api/v1/calc/" + tool, jsonMedia, body})
			if err == nil && a.status != http.StatusOK && a.status != http.StatusConflict {
				err = refused(a)
			}
			if err != nil || a.status == http.StatusOK {
				c.leave()
				return time.Now(), err
			}
			select {
			case <-ctx.Done():
				c.leave()
				return time.Time{}, ctx.Err()
			case <-time.After(rest):
			}
		}
		c.leave()
	}
}
