package strictjson

// NumberPrefix reads the number with which the text begins, under the same rules as in a
// document. The literal is the Text of the Value. It reports false if the text begins with no
// number, or with one that is refused.
func NumberPrefix(text string) (v Value, ok bool) {
	p := parser{text: text}
	err := p.number(&v)
	return v, err == nil
}
