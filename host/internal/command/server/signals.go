package server

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// hurried returns a channel that is closed when the server must end without delay: by SIGINT, or by the
// second signal.
func hurried() (hurry <-chan struct{}, forget func()) {
	signals, closed, over := make(chan os.Signal, 2), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range 2 {
			select {
			case s := <-signals:
				if s != os.Interrupt {
					continue
				}
			case <-over:
				return
			}
			break
		}
		close(closed)
	}()
	return closed, sync.OnceFunc(func() {
		signal.Stop(signals)
		close(over)
	})
}
