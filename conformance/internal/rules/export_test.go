package rules

// Judged returns the rules that can be judged.
func Judged() []string {
	var ids []string
	for id := range judges {
		ids = append(ids, id)
	}
	return ids
}
