package conn

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// onlyKnown is a socket filter that drops the first segment of a new connection: SYN without ACK. These flags
// are at offset 13 of the TCP header. Handshakes in progress finish.
var onlyKnown = []unix.SockFilter{
	{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},
	{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0x12},
	{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0x02, Jf: 1},
	{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 18},
}

// ignoreNew makes the system ignore clients that start to connect. They try again after a second, and are
// refused if the listener is closed by then. Closing the listener without this would reset the connections that
// the server has not accepted yet.
func ignoreNew(l net.Listener) error {
	program := &unix.SockFprog{Len: uint16(len(onlyKnown)), Filter: &onlyKnown[0]}
	err := error(syscall.EINVAL)
	onSocket(l, func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, program)
	})
	return err
}

// queued reports whether connections wait to be accepted.
func queued(l net.Listener) (some bool) {
	onSocket(l, func(fd uintptr) {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, 0)
		for err == unix.EINTR { // by a signal of the Go runtime
			n, err = unix.Poll(ready, 0)
		}
		some = err == nil && n > 0
	})
	return some
}

// pending reports whether a connection has received bytes that the server has not read yet.
func pending(c net.Conn) (unread bool) {
	onSocket(c, func(fd uintptr) {
		var first [1]byte
		n, _, err := unix.Recvfrom(int(fd), first[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		unread = err == nil && n > 0
	})
	return unread
}

// onSocket calls do with the descriptor of a listener or a connection, if it has one.
func onSocket(of any, do func(fd uintptr)) {
	inner, ok := of.(syscall.Conn)
	if !ok {
		return
	}
	if socket, err := inner.SyscallConn(); err == nil {
		_ = socket.Control(do)
	}
}
