package ledger

import (
	"crypto/sha256"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// tileSize is the number of records in one leaf of the tree.
const tileSize = 256

// tileHash returns the hash of a leaf of the tree (RFC 6962): the SHA-256 of a zero byte and of the
// hashes of its records.
func tileHash(records []tlog.Hash) tlog.Hash {
	data := make([]byte, 1, 1+tileSize*tlog.HashSize)
	for i := range records {
		data = append(data, records[i][:]...)
	}
	return sha256.Sum256(data)
}

// recordHash returns the hash of a record. The first byte of a record differs from the first byte
// of tiles and nodes.
func recordHash(encoded []byte) tlog.Hash { return sha256.Sum256(encoded) }

// tileOf returns the start and the end of the tile of the nth record, if there are so many records.
func tileOf(n, records uint64) (from, to uint64) {
	from = n / tileSize * tileSize
	return from, min(from+tileSize, records)
}

// treeHash returns the Merkle tree hash (RFC 6962, section 2.1) over the hashes of tiles.
func treeHash(hashes []tlog.Hash) tlog.Hash {
	switch n := len(hashes); n {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return hashes[0]
	default:
		left := 1 << (bits.Len(uint(n-1)) - 1)
		return tlog.NodeHash(treeHash(hashes[:left]), treeHash(hashes[left:]))
	}
}

// tilesOf returns the hashes of the tiles for the hashes of all records.
func tilesOf(records []tlog.Hash) []tlog.Hash {
	tiles := make([]tlog.Hash, 0, (len(records)+tileSize-1)/tileSize)
	for tile := range slices.Chunk(records, tileSize) {
		tiles = append(tiles, tileHash(tile))
	}
	return tiles
}
