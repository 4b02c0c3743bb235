//go:build linux && (amd64 || arm64)

package socket_test

import "testing"

// Poll ends when goOn returns false, when there are bytes, which it leaves for Read, and when
// the stream has ended.
func TestPoll(t *testing.T) {
	ours, theirs := newPair(t)
	looks := 0
	threeTimes := func() bool { looks++; return looks < 3 }
	if ours.Poll(threeTimes) || looks != 3 {
		t.Errorf("nothing was sent: found after %d looks", looks)
	}
	if _, err := theirs.WriteString("xy"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 10)
	if !ours.Poll(threeTimes) {
		t.Error("bytes were not found")
	}
	if n, err := ours.Read(b); string(b[:n]) != "xy" || err != nil {
		t.Errorf("read %q, %v", b[:n], err)
	}
	theirs.Close()
	if !ours.Poll(threeTimes) {
		t.Error("the end was not found")
	}
	ours.Close()
	if !ours.Poll(threeTimes) {
		t.Error("a closed socket was waited for")
	}
}
