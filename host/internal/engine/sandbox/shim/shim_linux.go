package shim

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

func init() {
	if len(os.Args) == 2 && os.Args[0] == Name {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", run(os.Args[1]))
		os.Exit(Failed)
	}
}

// process is the process that confines itself.
type process struct {
	Config
	control int
	id      int  // its process id outside
	name    byte // NameIsEngine or NameIsHosts

	trees map[string]int // clones of the mounts that it will see, by path
}

// steps turn a child of the server into an engine. Steps only drop rights, so each step comes after
// the last step that needs the rights.
var steps = []struct {
	name string
	do   func(*process) error
}{
	{"join its cgroups", (*process).join},
	{"close files that are not for the engine", (*process).closeFiles},
	{"open the files that it will see", (*process).openSystem},
	{"become another user", (*process).become},
	{"set the host name", (*process).rename},
	{"make its file system", (*process).mount},
	{"send its directory to the server", (*process).sendHome},
	{"drop privileges", (*process).dropPrivileges},
	{"end with the server", (*process).endWithServer},
	{"set its priority", (*process).setPriority},
	{"restrict file access", (*process).restrictFiles},
	{"filter system calls", (*process).filter},
	{"execute the engine", (*process).execute},
}

// run does not return unless a step fails. All steps run on the main thread, to which package
// initialization is locked. Only this thread survives the exec, so no other thread of the Go
// runtime needs to be confined.
func run(control string) error {
	runtime.LockOSThread()
	p := new(process)
	var err error
	p.control, err = strconv.Atoi(control)
	if err != nil {
		return fmt.Errorf("%q is not a control descriptor", control)
	}
	if err := p.receive(); err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	for _, s := range steps {
		if err := s.do(p); err != nil {
			p.report(s.name, err)
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// maxConfig bounds the configuration; the server's message is a few kilobytes.
const maxConfig = 64 << 10

func (p *process) receive() error {
	message := make([]byte, maxConfig)
	n, err := unix.Read(p.control, message)
	if err != nil {
		return err
	}
	return json.Unmarshal(message[:n], &p.Config)
}

// sendHome gives the server access to the engine's sockets, and to nothing else of the engine.
func (p *process) sendHome() error {
	home, err := unix.Open(Home, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Sendmsg(p.control, []byte{p.name}, unix.UnixRights(home), nil, unix.MSG_NOSIGNAL)
}

// closeFiles closes all descriptors above the engine's own, including descriptors that the server
// has inherited without its knowledge.
func (p *process) closeFiles() error {
	if p.Script {
		if err := p.keepProgram(); err != nil {
			return err
		}
		return unix.CloseRange(uint(p.Program)+1, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	}
	return unix.CloseRange(uint(p.Program), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}

// keepProgram opens the program again, because the interpreter will hold it open. The engine must
// not change the file offset and flags of the server's descriptor.
func (p *process) keepProgram() error {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", p.Program), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Dup3(fd, p.Program, 0)
}

// join makes this thread a member of its cgroups. It also marks the process, so that the kernel
// kills it earlier if the machine runs out of memory. Moving a whole process would wait for every
// processor, which takes 10 ms; and only this thread becomes the engine.
func (p *process) join() error {
	self, err := os.Readlink("/proc/self") // as seen outside; inside it is 1
	if err != nil {
		return err
	}
	p.id, err = strconv.Atoi(self)
	if err != nil {
		return err
	}
	for _, tasks := range p.Groups {
		if err := write(tasks, "0"); err != nil {
			return fmt.Errorf("%s: %w", tasks, err)
		}
	}
	_ = write("/proc/self/oom_score_adj", killFirst) // refused if the server's binary is unreadable
	return nil
}

func write(path, text string) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(text))
	return err
}

// killFirst is half of the scale of oom_score_adj.
const killFirst = "500"

// endWithServer asks the kernel to kill this process when the thread of the server that started it
// ends. Package process has done so already, but a change of credentials cancels the request. So
// endWithServer also checks whether the server has ended in the meantime.
func (p *process) endWithServer() error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	ended, err := hungUp(p.control)
	if err != nil {
		return err
	}
	if ended {
		return fmt.Errorf("the server has ended")
	}
	return nil
}

// hungUp reports whether the other end of a socket has been closed. It asks again after a signal. The Go runtime sends
// one to a thread that computes for 10 ms. After it the kernel restarts the other system calls of the steps, but not poll.
func hungUp(socket int) (bool, error) {
	ends := []unix.PollFd{{Fd: int32(socket), Events: unix.POLLRDHUP}}
	for {
		_, err := unix.Poll(ends, 0)
		if err != unix.EINTR {
			return ends[0].Revents != 0, err
		}
	}
}
