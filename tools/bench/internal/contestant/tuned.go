package contestant

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
)

// tuned decodes and encodes with hand-written code, into buffers that it reuses.
type tuned struct {
	known   *learned
	path    string
	buffers sync.Pool // of *buffer
}

// buffer is the memory for one request.
type buffer struct{ in, out []byte }

// Sizes of buffers, and of the largest body.
const (
	maxBody   = 64 << 10
	flushSize = 128 << 10
)

func newTuned(known *learned) *tuned {
	return &tuned{known, calcPath + known.common.Tool, sync.Pool{New: func() any {
		return &buffer{make([]byte, 1<<10), make([]byte, 0, flushSize+4<<10)}
	}}}
}

func (t *tuned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == t.path:
		t.calculate(w, r)
	case r.Method == http.MethodPost && r.URL.Path == batchPath:
		t.batch(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (t *tuned) calculate(w http.ResponseWriter, r *http.Request) {
	b := t.buffers.Get().(*buffer)
	defer t.buffers.Put(b)
	n := r.ContentLength
	if n <= 0 || n > maxBody {
		http.Error(w, "send a body of known size", http.StatusBadRequest)
		return
	}
	if int(n) > len(b.in) {
		b.in = make([]byte, n)
	}
	var in beam.Input
	s := scanner{text: b.in[:n]}
	if _, err := io.ReadFull(r.Body, s.text); err != nil || !s.inputs(&in) || !s.end() {
		http.Error(w, "send the eight inputs", http.StatusBadRequest)
		return
	}
	b.out = t.answer(b.out[:0], &in)
	h := w.Header()
	h["Content-Type"] = mediaJSON
	h["Content-Length"] = []string{strconv.Itoa(len(b.out))}
	_, _ = w.Write(b.out)
}

// batch answers each line of the body with a line.
func (t *tuned) batch(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).EnableFullDuplex()
	w.Header()["Content-Type"] = mediaRows
	b := t.buffers.Get().(*buffer)
	defer t.buffers.Put(b)
	lines := bufio.NewReaderSize(r.Body, maxBody)
	b.out = b.out[:0]
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			var in beam.Input
			if s := (scanner{text: line}); s.row(t.known.common.Tool, &in) && s.end() {
				b.out = t.answer(b.out, &in)
			} else {
				b.out = append(b.out, `{"status":"error"}`+"\n"...)
			}
		}
		if len(b.out) > flushSize || err != nil {
			if _, failed := w.Write(b.out); failed != nil || err != nil {
				return
			}
			b.out = b.out[:0]
		}
	}
}

// answer appends the answer to the inputs.
func (t *tuned) answer(dst []byte, in *beam.Input) []byte {
	out := beam.Middle(*in)
	dst = append(dst, t.known.head...)
	dst = number(dst, `{"span":`, in.Span)
	dst = number(dst, `,"width":`, in.Width)
	dst = number(dst, `,"depth":`, in.Depth)
	dst = number(dst, `,"modulus":`, in.Modulus)
	dst = number(dst, `,"load":`, in.Load)
	dst = number(dst, `,"force":`, in.Force)
	dst = number(dst, `,"couple":`, in.Couple)
	dst = number(dst, `,"axial":`, in.Axial)
	dst = append(dst, `},"result":`...)
	from := len(dst)
	dst = number(dst, `{"deflection":`, out.Deflection)
	dst = number(dst, `,"moment":`, out.Moment)
	dst = number(dst, `,"reaction":`, out.Reaction)
	dst = number(dst, `,"stress":`, out.Stress)
	dst = append(dst, '}')
	to := len(dst)
	dst = append(dst, `,"result_detail":{"value":`...)
	dst = append(dst, dst[from:to]...)
	dst = short(dst, `,"unit":null,"formatted":"deflection=`, out.Deflection)
	dst = short(dst, ` m; moment=`, out.Moment)
	dst = short(dst, ` N m; reaction=`, out.Reaction)
	dst = short(dst, ` N; stress=`, out.Stress)
	dst = append(dst, ` Pa"}`...)
	return append(dst, t.known.tail...)
}

// number appends f in the same format as encoding/json.
func number(dst []byte, before string, f float64) []byte {
	dst = append(dst, before...)
	if a := max(f, -f); f == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-09 is written e-9
		dst[n-2] = dst[n-1]
		return dst[:n-1]
	}
	return dst
}

// short appends f with six digits.
func short(dst []byte, before string, f float64) []byte {
	return strconv.AppendFloat(append(dst, before...), f, 'g', 6, 64)
}
