package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Run serves one agent until in ends or the context is done. The agent writes messages to in and reads answers
// from out, one per line. There are no limits, because the agent started the server itself.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	err := s.server.Run(ctx, newPipe(s, in, out))
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pipe is the transport of Run. The SDK's own transport ends at the first invalid message. This transport
// answers with an error and continues.
type pipe struct {
	server *Server
	lines  chan line
	done   chan struct{}
	close  func()

	pending sync.WaitGroup // requests without an answer

	mu  sync.Mutex // serializes messages to out
	out io.Writer
}

// line is one line of input, or the end of the input.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

func newPipe(s *Server, in io.Reader, out io.Writer) *pipe {
	p := &pipe{server: s, lines: make(chan line), done: make(chan struct{}), out: out}
	p.close = sync.OnceFunc(func() { close(p.done) })
	go p.scan(bufio.NewReader(in)) // ends with the input, because a read cannot be canceled
	return p
}

// scan reads lines until the input ends or the pipe is closed.
func (p *pipe) scan(in *bufio.Reader) {
	for {
		l := readLine(in)
		select {
		case p.lines <- l:
		case <-p.done:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads a line, but no more than the maximum size of a message.
func readLine(in *bufio.Reader) (l line) {
	for {
		part, err := in.ReadSlice('\n')
		if len(l.text)+len(part) > strictjson.MaxBytes+1 {
			l.text, l.tooLong = nil, true
		}
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.text) > 0:
			return l // the last line has no line feed
		default:
			l.err = err
			return l
		}
	}
}

// Connect implements [protocol.Transport].
func (p *pipe) Connect(context.Context) (protocol.Connection, error) { return p, nil }

// Read implements [protocol.Connection].
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.done:
			return nil, io.EOF
		case l := <-p.lines:
			if l.err != nil {
				p.waitForAnswers(ctx)
				return nil, l.err
			}
			msg, err := p.decode(l)
			if msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

// waitForAnswers waits until every request read before the end of the input is answered.
func (p *pipe) waitForAnswers(ctx context.Context) {
	answered := make(chan struct{})
	go func() {
		p.pending.Wait() // ends, because every calculation has a deadline
		close(answered)
	}()
	select {
	case <-answered:
	case <-ctx.Done():
	case <-p.done:
	}
}

// decode returns the message of a line. If the message is refused, decode answers it and
// returns nil.
func (p *pipe) decode(l line) (jsonrpc.Message, error) {
	if l.tooLong {
		return nil, p.write(renderError(nil, jsonrpc.CodeInvalidRequest, "the message is too large", nil))
	}
	if len(bytes.TrimSpace(l.text)) == 0 {
		return nil, nil
	}
	m, f := readMessage(l.text)
	if f == nil && m.method != "" && !p.server.methods[m.method] {
		if m.id == nil {
			return nil, nil
		}
		f = invalid(jsonrpc.CodeMethodNotFound, "there is no method %.80q", m.method)
	}
	if f != nil {
		return nil, p.write(renderError(m.id, f.code, f.message, nil))
	}
	msg, err := jsonrpc.DecodeMessage(l.text)
	if err != nil {
		return nil, p.write(renderError(m.id, jsonrpc.CodeInvalidRequest, err.Error(), nil))
	}
	if request, ok := msg.(*jsonrpc.Request); ok && request.IsCall() {
		p.pending.Add(1)
	}
	return msg, nil
}

// Write implements [protocol.Connection].
func (p *pipe) Write(_ context.Context, msg jsonrpc.Message) error {
	if _, ok := msg.(*jsonrpc.Response); ok {
		defer p.pending.Done()
	}
	body, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return p.write(append(body, '\n'))
}

func (p *pipe) write(text []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.out.Write(text)
	return err
}

// Close implements [protocol.Connection].
func (p *pipe) Close() error {
	p.close()
	return nil
}

// SessionID implements [protocol.Connection].
func (p *pipe) SessionID() string { return "" }
