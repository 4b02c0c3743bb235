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

// confinement has the resources that the server holds for one confined process.
type confinement struct {
	group  *group
	ours   *os.File // the server's end of the socket; the shim ends when it is closed
	theirs *os.File // the shim's

	mu      sync.Mutex // guards the fields below
	home    *os.File   // the engine's directory, nil until it was received
	sockets []*os.File // that the server may connect to
	over    bool
}

func newConfinement(g *groups, lowPriority bool) (*confinement, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socket to the shim: %w", err)
	}
	c := &confinement{ours: os.NewFile(uintptr(pair[0]), "sandbox"), theirs: os.NewFile(uintptr(pair[1]), "sandbox")}
	c.group, err = g.add(lowPriority)
	if err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// reach returns a path to a socket in the engine's directory. Only the server can change this path.
// Two properties make it safe.
//
// First, the shim sends the directory as an open descriptor. A lookup below the process id could
// find another process or, after the end of the engine, the server's own root.
//
// Second, reach keeps a descriptor of the socket itself and returns its path. So an engine cannot
// replace the name by a link, for example to the server's Redis, between the lookup and the
// connection.
func (c *confinement) reach(_ int, path string) (string, error) {
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

// openSocket opens the socket of that name as a path, without connecting to it.
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
		err = errors.New("it is not a socket")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openEntry opens an entry of a directory if openat2 is not available: systemd refuses it to
// services with RestrictSUIDSGID, which DynamicUser implies. openEntry is as strict as openat2. The
// name has no slash, so it is one step. A link is opened itself and not followed, and a mount on
// the entry has another device.
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

// receiveHome receives the directory that the shim sent before it became the engine.
func (c *confinement) receiveHome() error {
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
	c.closeStart() // an announced socket means that the engine runs, so the shim is done
	return nil
}

// closeStart closes the files that are only needed for the start.
func (c *confinement) closeStart() {
	c.ours.Close()
	c.theirs.Close()
	c.group.closeStart()
}

// release closes everything and removes the cgroups.
func (c *confinement) release() {
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
