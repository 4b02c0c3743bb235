package setting_test

import (
	"errors"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
)

type inner struct {
	Max int64 `validate:"min=1,max=8" says:"--max must lie between 1 and 8"`
}

type settings struct {
	Base    string        `validate:"omitempty,base_url" says:"--base %q is not an address"`
	Timeout time.Duration `validate:"gt=0" says:"--timeout must be above zero"`
	Free    string
	inner
}

// The error is the text of the first field that breaks its rule.
func TestCheck(t *testing.T) {
	good := settings{Base: "https://calc.example.org/x", Timeout: 1, inner: inner{8}}
	for _, tt := range []struct {
		change func(*settings)
		field  string
		want   string
	}{
		{func(s *settings) {}, "", ""},
		{func(s *settings) { s.Base = "" }, "", ""},
		{func(s *settings) { s.Timeout = 0 }, "Timeout", "--timeout must be above zero"},
		{func(s *settings) { s.Max = 9 }, "Max", "--max must lie between 1 and 8"},
		{func(s *settings) { s.Max, s.Timeout = 0, -1 }, "Timeout", "--timeout must be above zero"},
		{func(s *settings) { s.Base = "calc.example.org" }, "Base", `--base "calc.example.org" is not an address`},
		{func(s *settings) { s.Base = "ftp://calc.example.org" }, "Base", `--base "ftp://calc.example.org" is not an address`},
		{func(s *settings) { s.Base = "http://a?b" }, "Base", `--base "http://a?b" is not an address`},
		{func(s *settings) { s.Base = "http://a#b" }, "Base", `--base "http://a#b" is not an address`},
		{func(s *settings) { s.Base = "http://me@a" }, "Base", `--base "http://me@a" is not an address`},
		{func(s *settings) { s.Base = "http://" }, "Base", `--base "http://" is not an address`},
	} {
		s := good
		tt.change(&s)
		err := setting.Check(&s)
		var broken *setting.Error
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%+v: %v", s, err)
		case tt.want != "" && (!errors.As(err, &broken) || broken.Field != tt.field || broken.Text != tt.want):
			t.Errorf("%+v: %v, want %s", s, err, tt.want)
		}
	}
}
