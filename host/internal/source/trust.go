package source

import (
	"errors"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

// Trust decides whose statements about a registry count. With the zero value reviews never
// count, and everything else is served.
type Trust struct {
	File     string // the trust file
	Required bool   // serve and count only what a trusted key has signed
}

// options make a registry be read so. The trust file is read now.
func (t Trust) options(engines registry.EngineCheck) (*registry.Options, error) {
	o := &registry.Options{Engines: engines, RequireSignatures: t.Required}
	if t.File == "" {
		if t.Required {
			return nil, &SettingError{errors.New("--require-signatures needs --trust FILE: which keys count?")}
		}
		return o, nil
	}
	var err error
	o.Trust, err = sign.ReadTrustFile(t.File)
	if err != nil {
		return nil, &SettingError{err}
	}
	return o, nil
}
