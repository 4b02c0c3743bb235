//go:build amd64 || arm64

package sandbox

import (
	"slices"

	"golang.org/x/net/bpf"
)

// block is a part of a filter. It loads a value, or it ends the filter if a condition holds.
type block []bpf.Instruction

func join(blocks ...block) block { return slices.Concat(blocks...) }

// Offsets in struct seccomp_data.
const (
	offCall = 0
	offArch = 4
	offArgs = 16
)

func load(offset uint32) block { return block{bpf.LoadAbsolute{Off: offset, Size: 4}} }

// low and high load half of an argument; the machines that have a filter are all
// little-endian.
func low(arg uint32) block  { return load(offArgs + 8*arg) }
func high(arg uint32) block { return load(offArgs + 8*arg + 4) }

// only keeps the bits of the mask.
func only(mask uint32) block { return block{bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask}} }

// verdict ends the filter.
func verdict(v uint32) block { return block{bpf.RetConstant{Val: v}} }

func on(value, v uint32) block         { return decide(bpf.JumpNotEqual, value, v) }
func unless(value, v uint32) block     { return decide(bpf.JumpEqual, value, v) }
func onAny(mask, v uint32) block       { return decide(bpf.JumpBitsNotSet, mask, v) }
func from(value, v uint32) block       { return decide(bpf.JumpLessThan, value, v) }
func unlessFrom(value, v uint32) block { return decide(bpf.JumpGreaterOrEqual, value, v) }

// decide ends the filter with the verdict unless the condition holds.
func decide(unless bpf.JumpTest, value, v uint32) block {
	return join(block{bpf.JumpIf{Cond: unless, Val: value, SkipTrue: 1}}, verdict(v))
}
