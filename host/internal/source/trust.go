package source

import (
	"errors"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

// Trust says whose word about a registry counts. By the zero value reviews never count,
// and everything else is served.
type Trust struct {
	File     string // the trust file
	Required bool   // serve and count only what a trusted key has signed
}

// Option makes a registry be read so. The trust file is read now.
func (t Trust) Option() (registry.Option, error) {
	switch {
	case t.File == "" && t.Required:
		return nil, &SettingError{errors.New("--require-signatures needs --trust FILE: which keys count?")}
	case t.File == "":
		return registry.Trusting(nil, false), nil
	}
	trust, err := sign.ReadTrustFile(t.File)
	if err != nil {
		return nil, &SettingError{err}
	}
	return registry.Trusting(trust, t.Required), nil
}
