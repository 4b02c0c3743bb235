package shadow

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/slipstick/slipstick/host/internal/platform/fetch"
)

// Path is where a host tells what it has compared.
const Path = "/api/v1/shadow"

// maxReport is how much of the answer of a host is read, in bytes.
const maxReport = 16 << 20

// Get returns what hosts have compared together. One that does not answer is an error: without it
// the counts would be wrong.
func Get(ctx context.Context, hosts ...string) (Report, error) {
	var reports []Report
	for _, host := range hosts {
		address, err := url.JoinPath(host, Path)
		if err != nil {
			return Report{}, fmt.Errorf("%.200q is no address of a host", host)
		}
		body, err := fetch.Get(ctx, address, &fetch.Options{Limit: maxReport})
		if err != nil {
			return Report{}, err
		}
		var r Report
		if err := json.Unmarshal(body, &r); err != nil {
			return Report{}, fmt.Errorf("%s does not answer as a host does: %w", address, err)
		}
		reports = append(reports, r)
	}
	return Add(reports...), nil
}
