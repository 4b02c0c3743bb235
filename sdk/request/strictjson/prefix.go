package strictjson

// NumberPrefix reads the number at the start of the text, under the same rules as in a
// document. The literal is the Text of the Value. It reports false if the text does not start
// with a number, or if the number is refused.
func NumberPrefix(text string) (v Value, ok bool) {
	p := parser{text: text}
	err := p.number(&v)
	return v, err == nil
}
