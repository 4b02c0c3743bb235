package main

import (
	"github.com/slipstick/slipstick/host/internal/source"
)

// checkpointing is the flag that holds a registry against a checkpoint.
type checkpointing struct {
	Checkpoint string `env:"SLIPSTICK_CHECKPOINT" help:"Checkpoint that the registry must not have fallen behind, see slipstick checkpoint. Needs --trust. It is read again when it changes." placeholder:"FILE"`
}

func (c checkpointing) source(who trusting, data string) source.Checkpoint {
	return source.Checkpoint{File: c.Checkpoint, Trust: who.Trust, Data: data}
}
