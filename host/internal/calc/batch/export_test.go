package batch

// Texts returns the rows of the block. For refused rows it returns the codes.
func (b *Chunk) Texts() []string {
	var texts []string
	w := &job{Chunk: *b, text: string(b.text)}
	for i, r := range b.rows {
		if r.problem != nil {
			texts = append(texts, r.problem.Code)
		} else {
			texts = append(texts, w.rowText(i))
		}
	}
	return texts
}
