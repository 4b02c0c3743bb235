package adaptive_test

import "testing"

// FuzzRound evaluates a program of operations on a stack of numbers.
func FuzzRound(f *testing.F) {
	f.Add(0.1, 3.0, 0.3, []byte{0, 1, 12, 2, 11})
	f.Add(1.0, 0x1p-53, 0x1p-300, []byte{0, 1, 10, 2, 10})
	f.Add(5e-324, 1e308, -7.0, []byte{0, 1, 12, 1, 12, 2, 13, 0, 14, 11})
	f.Fuzz(func(t *testing.T, a, b, c float64, program []byte) {
		if s := a + b + c; s-s != 0 || len(program) > 24 {
			t.Skip()
		}
		if formula, ok := compile([]formula{of(a), of(b), of(c)}, program); ok {
			check(t, formula)
		}
	})
}

func compile(inputs []formula, program []byte) (result formula, ok bool) {
	stack := []formula{inputs[0]}
	for _, op := range program {
		top := stack[len(stack)-1]
		if top.rat.Num().BitLen()+top.rat.Denom().BitLen() > 1<<13 {
			return formula{}, false
		}
		if op < 10 {
			stack = append(stack, inputs[op%3])
			continue
		}
		if op >= 14 {
			stack[len(stack)-1] = []formula{top.neg(), top.abs(), top.pow(int(op / 16 % 4))}[op%3]
			continue
		}
		if len(stack) < 2 {
			return formula{}, false
		}
		stack = stack[:len(stack)-1]
		below := stack[len(stack)-1]
		stack[len(stack)-1] = []formula{below.add(top), below.sub(top), below.mul(top), below.div(top)}[op-10]
	}
	return stack[len(stack)-1], true
}
