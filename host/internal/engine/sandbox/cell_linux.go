package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// cell is what the host holds of one confined process.
type cell struct {
	group  *group
	ours   *os.File // the host's end of the socket; the shim takes its closing for the host's death
	theirs *os.File // the shim's

	mu      sync.Mutex // guards what follows
	home    *os.File   // the engine's directory, nil until it was received
	sockets []*os.File // that the host may connect to
	over    bool
}

func newCell(g *groups, behind bool) (*cell, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socket to the shim: %w", err)
	}
	c := &cell{ours: os.NewFile(uintptr(pair[0]), "sandbox"), theirs: os.NewFile(uintptr(pair[1]), "sandbox")}
	c.group, err = g.add(behind)
	if err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// reach returns a path to a socket in the engine's directory that nobody but the host
// can change. Two things make it safe. The directory comes from the shim, as an open
// descriptor: looking it up below the process id could find another process, or, once
// the engine is dead, the host's own root. And the descriptor of the socket itself is
// kept and its path returned, so the name cannot become a link to, say, the host's
// Redis between looking and connecting.
func (c *cell) reach(_ int, path string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", fmt.Errorf("engine announced the socket %.100q: %s", path, why)
	}
	name, below := strings.CutPrefix(path, shim.Home+"/")
	if !below || name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return refuse("it must be in its own directory")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.receiveHome(); err != nil {
		return refuse(err.Error())
	}
	socket, err := openSocket(c.home, name)
	if err != nil {
		return refuse(err.Error())
	}
	c.sockets = append(c.sockets, socket)
	return fmt.Sprintf("/proc/self/fd/%d", socket.Fd()), nil
}

// openSocket takes hold of the socket of that name, without connecting to it.
func openSocket(dir *os.File, name string) (*os.File, error) {
	fd, err := unix.Openat2(int(dir.Fd()), name, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	})
	if errors.Is(err, unix.ENOSYS) {
		fd, err = openEntry(int(dir.Fd()), name)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	info, err := f.Stat()
	if err == nil && info.Mode().Type() != os.ModeSocket {
		err = errors.New("it is no socket")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openEntry opens an entry of a directory where there is no openat2: systemd refuses it to
// services with RestrictSUIDSGID, which DynamicUser implies. It is as strict, because a name
// without a slash is one step: a link is opened itself and not followed, and what is mounted on
// the entry is of another device.
func openEntry(dir int, name string) (int, error) {
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	var at, in unix.Stat_t
	err = errors.Join(unix.Fstat(fd, &at), unix.Fstat(dir, &in))
	if err == nil && at.Dev != in.Dev {
		err = unix.EXDEV
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// receiveHome takes the directory that the shim has sent before it became the engine.
func (c *cell) receiveHome() error {
	if c.over {
		return errors.New("the engine has ended")
	}
	if c.home != nil {
		return nil
	}
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(c.ours.Fd()), make([]byte, 1), control, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return fmt.Errorf("its directory is not known: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return errors.New("its directory is not known")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return errors.New("its directory is not known")
	}
	c.home = os.NewFile(uintptr(fds[0]), shim.Home)
	c.closeStart() // what announces a socket is the engine: the shim has done its work
	return nil
}

// closeStart closes what only starting needs.
func (c *cell) closeStart() {
	c.ours.Close()
	c.theirs.Close()
	c.group.closeStart()
}

// release closes everything and removes the cgroups.
func (c *cell) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.over = true
	c.closeStart()
	if c.home != nil {
		c.home.Close()
	}
	for _, socket := range c.sockets {
		socket.Close()
	}
	c.group.remove()
}
