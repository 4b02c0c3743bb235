package main

import (
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/server"
)

// recorded says whether a host keeps a ledger of what it answers.
type recorded struct {
	Ledger       string        `env:"SLIPSTICK_LEDGER" help:"Directory for records of what is answered, in segments that are chained and signed. Each host needs one of its own. Default: nothing is recorded." placeholder:"DIR"`
	LedgerRecord string        `enum:"hash,inputs" default:"hash" env:"SLIPSTICK_LEDGER_RECORD" help:"What a record has of the inputs: hash, a keyed hash, so that who has the inputs can show that it is about them; or inputs, so that it can be computed again."`
	LedgerSync   time.Duration `default:"1s" env:"SLIPSTICK_LEDGER_SYNC" help:"How often records are put on the disk: a host that is killed loses those of so much time. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--ledger-sync and --ledger-close must be above zero"`
	LedgerClose  time.Duration `default:"10m" env:"SLIPSTICK_LEDGER_CLOSE" help:"Age at which a segment is closed, and its records can be proved. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--ledger-sync and --ledger-close must be above zero"`
	LedgerRetain time.Duration `env:"SLIPSTICK_LEDGER_RETAIN" help:"How long records are kept, such as 8760h. Then whole segments are deleted, but for their signed roots. Default: for ever." placeholder:"TIME" validate:"gte=0" says:"--ledger-retain must not be negative"`
	LedgerQueue  int           `default:"16" env:"SLIPSTICK_LEDGER_QUEUE" help:"MiB of records that may wait for the disk. What comes beyond is lost, and the loss is recorded. Default: ${default}." placeholder:"MIB" validate:"min=1,max=4096" says:"--ledger-queue must lie between 1 and 4096 MiB"`

	LedgerTimestamp string `env:"SLIPSTICK_LEDGER_TIMESTAMP" help:"Address of a time stamp authority (RFC 3161), which is asked to say when each segment was closed. It gets a digest, and nobody waits for it. Default: nobody is asked." placeholder:"URL" validate:"omitempty,http_url" says:"--ledger-timestamp must be an address such as https://tsa.example.org/tsr"`
}

func (r *recorded) ledger() server.Ledger {
	return server.Ledger{
		Dir: r.Ledger, Inputs: ledger.Inputs(r.LedgerRecord), Sync: r.LedgerSync, Close: r.LedgerClose, Keep: r.LedgerRetain, Queue: r.LedgerQueue << 20,
		Timestamp: r.LedgerTimestamp,
	}
}
