package command

import (
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
)

// SnapshotFlags are the flags for creating snapshots.
type SnapshotFlags struct {
	SnapshotKey  []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Seed of the Ed25519 key that signs snapshots, 32 bytes in hex or base64. Give several keys with the oldest first: all are accepted, and the newest signs. A key with a time, SEED@2026-12-01T00:00:00Z, signs from then on. Default: a key in the data directory. Prefer the environment variable to the command line." placeholder:"SEED"`
	Snapshots    string   `enum:"auto,stored,embedded" default:"auto" env:"SLIPSTICK_SNAPSHOTS" help:"Ids of snapshots. stored: short ids. Redis keeps their snapshots for 180 days; without Redis, the data directory does. embedded: long ids that contain the snapshot and do not expire. auto: stored, but embedded with a --snapshot-key and no Redis, because other servers with this key must be able to read the snapshots. Short ids can always be read." placeholder:"HOW"`
	SnapshotsMax int64    `default:"1024" env:"SLIPSTICK_SNAPSHOTS_MAX" help:"MiB for the file of snapshots in the data directory. If it is full and no snapshot has expired, new ids are embedded." placeholder:"MIB" validate:"min=1,max=1048576" says:"--snapshots-max must lie between 1 and 1048576 MiB"`
}

// Embedded reports whether snapshot ids contain their snapshots.
func (k *SnapshotFlags) Embedded(redis string) bool {
	return k.Snapshots == "embedded" || k.Snapshots == "auto" && redis == "" && len(k.SnapshotKey) > 0
}

// OpenStore opens the snapshots of a data directory.
func (k *SnapshotFlags) OpenStore(data string) (*snapshot.Store, error) {
	keys, err := snapshot.LoadKeys(filepath.Join(data, "keys"), k.SnapshotKey...)
	if err != nil {
		return nil, err
	}
	return snapshot.New(keys, &snapshot.Options{
		File:  snapshot.NewFile(data, &snapshot.FileOptions{Size: k.SnapshotsMax << 20}),
		Embed: k.Embedded(""),
	})
}
