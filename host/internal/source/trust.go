package source

import (
	"errors"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

// Trust decides which keys can sign statements about a registry. With the zero value reviews do not
// count, and all other releases are served.
type Trust struct {
	File     string // the trust file
	Required bool   // serve and count only statements that a trusted key has signed
}

// options returns the options to read a registry with this trust. It reads the trust file.
func (t Trust) options(engines registry.EngineCheck) (*registry.Options, error) {
	o := &registry.Options{Engines: engines, RequireSignatures: t.Required}
	if t.File == "" {
		if t.Required {
			return nil, &SettingError{errors.New("--require-signatures needs --trust FILE, which lists the trusted keys")}
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
