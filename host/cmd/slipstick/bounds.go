package main

import (
	"time"

	"github.com/slipstick/slipstick/host/internal/server"
)

// bounds say what clients can make the host hold: one, and all together.
type bounds struct {
	MaxConnections    int   `default:"2000" env:"SLIPSTICK_MAX_CONNECTIONS" help:"Connections at once. When there are as many, the one that has been idle for the longest time goes, of the client with the most. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-connections and --client-connections must be above zero"`
	ClientConnections int   `default:"500" env:"SLIPSTICK_CLIENT_CONNECTIONS" help:"Connections at once of one client address; not for a --trusted-proxy. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-connections and --client-connections must be above zero"`
	MaxBatches        int   `default:"64" env:"SLIPSTICK_MAX_BATCHES" help:"Batches under way at once. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-batches and --client-batches must be above zero"`
	ClientBatches     int   `default:"16" env:"SLIPSTICK_CLIENT_BATCHES" help:"Batches under way at once of one client address. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-batches and --client-batches must be above zero"`
	MaxHeld           int64 `default:"128" env:"SLIPSTICK_MAX_HELD" help:"MiB for rows of batches that are computed, and for answers that wait until they are taken; one client address has at most a quarter. Never more than a quarter of GOMEMLIMIT. Default: ${default}." placeholder:"MIB" validate:"min=1,max=1048576" says:"--max-held must lie between 1 and 1048576 MiB"`

	AnswerPatience time.Duration `default:"30s" env:"SLIPSTICK_ANSWER_PATIENCE" help:"How long a client may take for each 64 KiB of an answer. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--answer-patience must be above zero"`
}

func (b *bounds) bounds() server.Bounds {
	return server.Bounds{
		Connections: b.MaxConnections, ClientConnections: b.ClientConnections,
		Batches: b.MaxBatches, ClientBatches: b.ClientBatches,
		Held: b.MaxHeld, AnswerTimeout: b.AnswerPatience,
	}
}
