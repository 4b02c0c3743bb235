package mcp_test

import (
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
)

// With the fixtures of the official conformance suite and the same HTTP handler, a server passes all
// requirements of the two newest revisions. TestMCPJudges of the command tests the delivered program.
func TestConformanceSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes Node")
	}
	server := httptest.NewUnstartedServer(nil)
	url := "http://" + server.Listener.Addr().String()
	server.Config.Handler = newSiteOf(t, url, nil, func(service *calc.Service, snapshots *snapshot.Store, o *mcp.Options) *mcp.Server {
		return mcp.NewWithFixtures(t, service, snapshots, o)
	})
	server.Start()
	defer server.Close()
	defer server.CloseClientConnections() // some still wait for messages of the server
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		out, err := exec.CommandContext(t.Context(), "../../../../scripts/node/mcp/judge", "conformance", url+"/mcp", revision).CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("%s: %v", revision, err)
		}
	}
}
