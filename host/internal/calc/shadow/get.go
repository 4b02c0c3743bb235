package shadow

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/slipstick/slipstick/host/internal/platform/fetch"
)

// Path is the endpoint of a server with its report.
const Path = "/api/v1/shadow"

// maxReport is the maximum size of a response that is read, in bytes.
const maxReport = 16 << 20

// Get returns the combined report of servers. If a server does not respond, Get returns an error, because
// the counts would be wrong.
func Get(ctx context.Context, hosts ...string) (Report, error) {
	var reports []Report
	for _, host := range hosts {
		address, err := url.JoinPath(host, Path)
		if err != nil {
			return Report{}, fmt.Errorf("%.200q is not the URL of a server", host)
		}
		body, err := fetch.Get(ctx, address, &fetch.Options{Limit: maxReport})
		if err != nil {
			return Report{}, err
		}
		var r Report
		if err := json.Unmarshal(body, &r); err != nil {
			return Report{}, fmt.Errorf("%s does not respond like a Slipstick server: %w", address, err)
		}
		reports = append(reports, r)
	}
	return Add(reports...), nil
}
