package limit_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

func TestParseLimits(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "calc=60,mcp=120,mcp-exec=30,share=60,page=120"},
		{" ", "calc=60,mcp=120,mcp-exec=30,share=60,page=120"},
		{"calc=60,mcp=120,mcp-exec=30,share=60,page=120", "calc=60,mcp=120,mcp-exec=30,share=60,page=120"},
		{"calc=7", "calc=7,mcp=120,mcp-exec=30,share=60,page=120"},
		{" page = 0 , mcp-exec=10000 ", "calc=60,mcp=120,mcp-exec=10000,share=60,page=0"},
	} {
		got, err := limit.ParseLimits(tt.text)
		if err != nil || got.String() != tt.want {
			t.Errorf("ParseLimits(%q) = %v, %v, want %s", tt.text, got, err, tt.want)
		}
	}
}

func TestParseLimitsRejects(t *testing.T) {
	for _, tt := range []struct{ text, named string }{
		{"calx=60", `"calx": no such surface`},
		{"=60", `"": no such surface`},
		{"calc=-1", `"calc": -1 is not from 0 to 10000`},
		{"mcp=10001", `"mcp": 10001 is not from`},
		{"calc=sixty", `"sixty" is not a whole number`},
		{"calc=1.5", `"1.5" is not a whole number`},
		{"calc=99999999999999999999", `"99999999999999999999" is not`},
		{"calc", `"calc": want surface=calls`},
		{"calc=1,", `"": want surface=calls`},
		{"calc=1,calc=2", `calc is given twice`},
	} {
		if got, err := limit.ParseLimits(tt.text); err == nil || !strings.Contains(err.Error(), tt.named) {
			t.Errorf("ParseLimits(%q) = %v, %v, want an error with %s", tt.text, got, err, tt.named)
		}
	}
}

func TestDefaultsAreParsedAsWritten(t *testing.T) {
	got, err := limit.ParseLimits(limit.Defaults().String())
	if err != nil || got.String() != limit.Defaults().String() {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestMisusePanics(t *testing.T) {
	for name, misuse := range map[string]func(){
		"unknown surface of a limit": func() { limit.NewLocal(limit.Limits{"calx": 1}, nil) },
		"negative limit":             func() { limit.NewLocal(limit.Limits{limit.Calc: -1}, nil) },
		"unknown surface of a call":  func() { limit.NewLocal(nil, nil).Allow(t.Context(), "calx", nthClient(0)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			misuse()
		})
	}
}
