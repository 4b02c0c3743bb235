package main

import (
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

// trusting is the flags that say whose word counts.
type trusting struct {
	Trust             string `env:"SLIPSTICK_TRUST" help:"Trust file: the keys whose signatures count, and for what. Without it reviews never count. See slipstick keys --help." placeholder:"FILE"`
	RequireSignatures bool   `env:"SLIPSTICK_REQUIRE_SIGNATURES" help:"Serve only releases that a trusted key has published, and count only evidence that a trusted key has signed."`
}

// source is whose word counts.
func (t trusting) source() source.Trust {
	return source.Trust{File: t.Trust, Required: t.RequireSignatures}
}

// checkpointing is the flag that holds the log of a registry against a checkpoint.
type checkpointing struct {
	Checkpoint string `env:"SLIPSTICK_CHECKPOINT" help:"Checkpoint of the log of the registry, such as another host shows at /.well-known/slipstick-log: the log must continue it." placeholder:"FILE"`
}

// signing is the flag that signs what is written.
type signing struct {
	Sign string `env:"SLIPSTICK_SIGN" help:"Secret key (NAME.key) that signs what is written. Its password is asked for, or comes from SLIPSTICK_KEY_PASSWORD." placeholder:"FILE"`
}

// options make a registry sign what it writes.
func (g signing) options(s streams) (*registry.Options, error) {
	if g.Sign == "" {
		return new(registry.Options), nil
	}
	key, err := readKey(s, g.Sign)
	if err != nil {
		return nil, err
	}
	return &registry.Options{Signer: key}, nil
}

func readKey(s streams, path string) (*sign.Signer, error) {
	key, err := sign.ReadKey(path, func() (string, error) { return terminal.Password(s.in, s.err, "Password of "+path+": ") })
	if err != nil {
		return nil, &failure{exitMisuse, err}
	}
	return key, nil
}
