package process

import "testing"

// On Windows, an engine may announce only an address of its own machine.
func TestLoopback(t *testing.T) {
	for _, address := range []string{"127.0.0.1:4000", "[::1]:4000"} {
		if err := checkLoopback(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"", "127.0.0.1", "127.0.0.1:0", "10.0.0.1:4000", "0.0.0.0:4000", "localhost:4000", "[::ffff:10.0.0.1]:4000"} {
		if checkLoopback(address) == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}
