package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// shake is F5 and F11: attacks before, or instead of, the handshake. An attack that does not return
// waits to be killed.
func shake(mode, argument string) {
	home := os.Getenv("PLUGIN_UNIX_SOCKET_DIR")
	at := func(name string) string { return filepath.Join(home, name) }
	switch mode {
	case "sleep", "mute":
	case "announce": // the argument, as it is
		fmt.Println(strings.ReplaceAll(argument, "HOME", home))
	case "line":
		fmt.Print(strings.Repeat("x", 100<<10))
	case "binary":
		os.Stdout.Write([]byte("\x00\xff\xfe\x1b[2J|1|1|unix|\n"))
	case "log":
		fmt.Fprintln(os.Stderr, forgedLog)
		os.Exit(3)
	case "link": // a name in its own directory that leads out of it
		must(os.Symlink(argument, at("s")))
		announce(at("s"))
	case "file":
		must(os.WriteFile(at("s"), nil, 0o600))
		announce(at("s"))
	case "below":
		must(os.Mkdir(at("d"), 0o700))
		listen(at("d/s"))
		announce(at("d/s"))
	case "swap": // a socket that becomes a link after it was announced, repeatedly
		listen(at("s"))
		must(os.Link(at("s"), at("kept")))
		must(os.Symlink(argument, at("link")))
		go func() {
			for i := 0; ; i++ {
				_ = os.Link(at([]string{"link", "kept"}[i%2]), at("next"))
				_ = os.Rename(at("next"), at("s"))
			}
		}()
		announce(at("s"))
	default:
		return // an attack that comes later
	}
	var forever syscall.WaitStatus
	for {
		_, _ = syscall.Wait4(-1, &forever, 0, nil)
		syscall.Pause()
	}
}

func announce(path string) { fmt.Printf("1|1|unix|%s|grpc|\n", path) }

func listen(path string) {
	_, err := net.Listen("unix", path)
	must(err)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
}
