package pool

// Rest ends the current process of a program, after calls under way have had the Drain time. The
// next call starts another one.
func (p *Pool) Rest(program Program) {
	s, known := p.supervisors.Load(program.Digest)
	if !known {
		return
	}
	if w := s.(*supervisor).current.Load(); w != nil {
		w.supervisor.observe(Idled)
		w.supervisor.drain(w, nil)
	}
}
