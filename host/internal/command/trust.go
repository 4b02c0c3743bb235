package command

import (
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

// TrustFlags are the flags that select trusted keys.
type TrustFlags struct {
	Trust             string `env:"SLIPSTICK_TRUST" help:"Trust file, with the keys that count and their roles. Without it, reviews never count. See slipstick keys --help." placeholder:"FILE"`
	RequireSignatures bool   `env:"SLIPSTICK_REQUIRE_SIGNATURES" help:"Serve only releases that a trusted key has published, and count only evidence that a trusted key has signed."`
}

// Policy returns the trust settings of a registry.
func (t TrustFlags) Policy() source.Trust {
	return source.Trust{File: t.Trust, Required: t.RequireSignatures}
}

// CheckpointFlag compares the transparency log of a registry with a checkpoint.
type CheckpointFlag struct {
	Checkpoint string `env:"SLIPSTICK_CHECKPOINT" help:"Checkpoint of the transparency log, such as another server shows at /.well-known/slipstick-log. The log must continue it." placeholder:"FILE"`
}

// SigningFlag signs changes of a registry.
type SigningFlag struct {
	Sign string `env:"SLIPSTICK_SIGN" help:"Secret key (NAME.key) that signs the change. The command asks for its password, or takes SLIPSTICK_KEY_PASSWORD." placeholder:"FILE"`
}

// RegistryOptions returns the options of a registry that signs its changes.
func (g SigningFlag) RegistryOptions(s Streams) (*registry.Options, error) {
	if g.Sign == "" {
		return new(registry.Options), nil
	}
	key, err := ReadKey(s, g.Sign)
	if err != nil {
		return nil, err
	}
	return &registry.Options{Signer: key}, nil
}

// ReadKey reads a secret key, and asks for its password.
func ReadKey(s Streams, path string) (*sign.Signer, error) {
	key, err := sign.ReadKey(path, func() (string, error) { return terminal.Password(s.In, s.Err, "Password of "+path+": ") })
	if err != nil {
		return nil, Misuse(err)
	}
	return key, nil
}
