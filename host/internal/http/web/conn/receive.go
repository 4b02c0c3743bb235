package conn

// Memory is the buffer into which a connection receives.
type Memory interface {
	// Take returns the memory for bytes that have possibly arrived.
	Take() []byte

	// Received is called after every Take: n bytes have arrived. While the connection waits, others can use the
	// memory.
	Received(n int)
}
