package main

import (
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/sign"
)

// checkpointing is the flag that holds a registry against a checkpoint.
type checkpointing struct {
	Checkpoint string `env:"SLIPSTICK_CHECKPOINT" help:"Checkpoint that the registry must not have fallen behind, see slipstick checkpoint. Needs --trust. It is read again when it changes." placeholder:"FILE"`
}

// check returns the checkpoint, and why the registry, or the checkpoint, is not accepted.
func (c checkpointing) check(who trusting, data string, published []registry.Capability) (sign.State, error) {
	return source.Checkpoint{File: c.Checkpoint, Trust: who.Trust, Data: data}.Check(published)
}
