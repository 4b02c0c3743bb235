package ledger

import (
	"crypto/sha256"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// tileSize is how many records have a hash of their own in a statement. It is a power of two, so
// that the hashes of tiles are nodes of the tree.
const tileSize = 256

// treeHash returns the Merkle tree hash (RFC 6962, section 2.1) over the hashes of leaves or of
// tiles.
func treeHash(hashes []tlog.Hash) tlog.Hash {
	switch n := len(hashes); n {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return hashes[0]
	default:
		left := 1 << (bits.Len(uint(n-1)) - 1)
		return nodeHash(treeHash(hashes[:left]), treeHash(hashes[left:]))
	}
}

// nodeHash is tlog.NodeHash, which takes twice as long.
func nodeHash(left, right tlog.Hash) tlog.Hash {
	var node [1 + 2*tlog.HashSize]byte
	node[0] = 1
	copy(node[1:], left[:])
	copy(node[1+tlog.HashSize:], right[:])
	return sha256.Sum256(node[:])
}

// tilesOf returns the hashes of the tiles over the hashes of all leaves.
func tilesOf(leaves []tlog.Hash) []tlog.Hash {
	tiles := make([]tlog.Hash, 0, (len(leaves)+tileSize-1)/tileSize)
	for ; len(leaves) > tileSize; leaves = leaves[tileSize:] {
		tiles = append(tiles, treeHash(leaves[:tileSize]))
	}
	if len(leaves) > 0 {
		tiles = append(tiles, treeHash(leaves))
	}
	return tiles
}

// rootOf returns the hashes of all tiles, of which some are known, and the root. The rest are the
// leaves of the last tile.
func rootOf(tiles, rest []tlog.Hash) ([]tlog.Hash, tlog.Hash) {
	if len(rest) > 0 {
		tiles = append(tiles, treeHash(rest))
	}
	return tiles, treeHash(tiles)
}

// prove returns the proof that a leaf is in the tree over all leaves.
func prove(leaves []tlog.Hash, leaf uint64) (tlog.RecordProof, error) {
	return tlog.ProveRecord(int64(len(leaves)), int64(leaf), tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			level, n := tlog.SplitStoredHashIndex(index)
			from, to := n<<level, (n+1)<<level
			if to > int64(len(leaves)) {
				return nil, fmt.Errorf("no node %d of level %d over %d leaves", n, level, len(leaves))
			}
			found[i] = treeHash(leaves[from:to])
		}
		return found, nil
	}))
}
