package calc

// Formulas is of how many releases the formula was read.
func (s *Service) Formulas() (n int) {
	s.now.Load().texts.Range(func(any, any) bool { n++; return true })
	return n
}
