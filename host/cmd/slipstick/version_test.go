package main

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/command"
)

func TestVersion(t *testing.T) {
	revision = "0123abc"
	defer func() { revision = "" }()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if r := slipstick(t.Context(), args...); r.code != command.ExitOK || !strings.Contains(r.out, "slipstick 0123abc\n") || !strings.Contains(r.out, platform) {
			t.Errorf("%v: %+v", args, r)
		}
	}
	var v map[string]string
	r := slipstick(t.Context(), "version", "--json")
	if err := json.Unmarshal([]byte(r.out), &v); err != nil || v["revision"] != "0123abc" || v["platform"] != platform || v["api_contract_version"] == "" {
		t.Errorf("%s %v", r.out, err)
	}
}
