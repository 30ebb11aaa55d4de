package lies

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Lie is a false value for one field.
type Lie struct{ Field, Value string }

// Seen is a field of an answer that a client received.
type Seen struct {
	Field  string
	Kind   Kind
	Answer *Answer // the answer with the field; shared by all its fields
}

// Answer is a node's answer to one question.
type Answer struct {
	method, tag string
	body        []byte
	decode      func([]byte) (*node, error)
	encode      func(*node) []byte
}

// Changed reports whether a lie changes the answer. If it changes none, the client receives the
// truth.
func (a *Answer) Changed(l Lie) bool {
	path, about := l.about(a.method, a.tag)
	if !about {
		return false
	}
	honest, err := a.decode(a.body)
	if err != nil {
		return true
	}
	root, err := a.decode(a.body)
	if err != nil {
		return true
	}
	change(root, []Lie{{Field: path, Value: l.Value}})
	return !bytes.Equal(a.encode(root), a.encode(honest))
}

// about reports whether a lie applies to a method's answers to questions with a tag, and returns
// the path of its field.
func (l Lie) about(method, tag string) (path string, ok bool) {
	to, about, path := Split(l.Field)
	return path, to == method && (about == "" || "["+about+"]" == tag)
}

// Split splits a field's name into the method, the subject of the question if there is one, and the
// path.
func Split(field string) (method, about, path string) {
	method, path, _ = strings.Cut(field, ":")
	if name, rest, ok := strings.Cut(method, "["); ok {
		method = name
		about, path, _ = strings.Cut(rest+":"+path, "]:")
	}
	return method, about, path
}

// Proxy forwards requests to a node and changes fields in its answers. It is safe for concurrent
// use.
type Proxy struct {
	node http.Handler

	mu   sync.Mutex
	lies []Lie
	told int
	seen func(Seen)
}

// New returns a proxy for a node.
func New(node http.Handler) *Proxy { return &Proxy{node: node} }

// Tell makes later answers contain the given lies. Without arguments, answers are true again. No field
// may contain another.
func (p *Proxy) Tell(list ...Lie) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lies, p.told = list, 0
}

// Changed returns the number of fields changed since Tell.
func (p *Proxy) Changed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told
}

// Watch calls seen for every field of every original answer, one at a time. nil stops that.
func (p *Proxy) Watch(seen func(Seen)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = seen
}

// maxAsked limits a request; a transaction is at most 128 KiB.
const maxAsked = 4 << 20

// ServeHTTP forwards a request and changes the answer. Answers other than gRPC messages and JSON
// pass unchanged.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked, err := io.ReadAll(io.LimitReader(r.Body, maxAsked))
	if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(asked))
	held := &held{ResponseWriter: w}
	p.node.ServeHTTP(held, r)
	body := held.body.Bytes()
	kind := w.Header().Get("Content-Type")
	switch {
	case strings.HasPrefix(r.URL.Path, "/sandbox/"):
	case strings.HasPrefix(kind, "application/grpc"):
		body = p.frames(r.URL.Path, asked, body)
	case strings.HasPrefix(kind, "application/json"), strings.HasPrefix(kind, "application/graphql-response+json"):
		body = p.json(r.URL.Path, asked, body)
	}
	if len(body) > 0 {
		_, _ = w.Write(body)
	}
}

// held buffers a body until it is complete.
type held struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (h *held) WriteHeader(code int) {
	h.Header().Del("Content-Length")
	h.ResponseWriter.WriteHeader(code)
}

func (h *held) Write(b []byte) (int, error) { return h.body.Write(b) }

// Flush sends the header; the body follows at the end.
func (h *held) Flush() {
	if f, ok := h.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// frameHead is the size of the header before each gRPC message: a compression flag and the length.
const frameHead = 5

// frames changes the messages of a gRPC answer.
func (p *Proxy) frames(path string, asked, body []byte) []byte {
	service, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	request, answer := method(service, name)
	if answer == "" {
		return body
	}
	var question *node
	if len(asked) > frameHead && asked[0] == 0 {
		question, _ = decodeWire(request, asked[frameHead:])
	}
	field := service[strings.LastIndexByte(service, '.')+1:] + "." + name
	var out []byte
	for len(body) >= frameHead {
		size := frameHead + int(binary.BigEndian.Uint32(body[1:]))
		if size > len(body) {
			break
		}
		frame := body[:size]
		if body = body[size:]; frame[0] == 0 {
			root, err := decodeWire(answer, frame[frameHead:])
			if err == nil && p.change(root, Answer{method: field, tag: tagOf(question, root), body: frame[frameHead:],
				decode: func(b []byte) (*node, error) { return decodeWire(answer, b) }, encode: encodeWire}) {
				b := encodeWire(root)
				frame = append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(b))), b...)
			}
		}
		out = append(out, frame...)
	}
	return append(out, body...)
}

// operation matches the first field of a GraphQL query.
var operation = regexp.MustCompile(`\{\s*(?:\w+\s*:\s*)?(\w+)`)

// json changes an answer in JSON.
func (p *Proxy) json(path string, asked, body []byte) []byte {
	root, err := decodeJSON(body)
	if err != nil {
		return body
	}
	tag := ""
	if question, err := decodeJSON(asked); err == nil {
		for _, n := range question.parts {
			if m := operation.FindStringSubmatch(n.text); n.name == "query" && m != nil {
				tag = m[1]
			}
		}
	}
	name, _, _ := strings.Cut(strings.Trim(path, "/"), "/")
	if !p.change(root, Answer{method: name, tag: tag, body: body, decode: decodeJSON, encode: encodeJSON}) {
		return body
	}
	return encodeJSON(root)
}

// change records the fields of an answer and changes those that have a lie.
func (p *Proxy) change(root *node, from Answer) bool {
	if from.tag != "" {
		from.tag = "[" + from.tag + "]"
	}
	p.mu.Lock()
	told := p.lies
	if p.seen != nil {
		from.body = bytes.Clone(from.body)
		for _, at := range places(root) {
			p.seen(Seen{Field: from.method + from.tag + ":" + at.path, Kind: at.kind, Answer: &from})
		}
	}
	p.mu.Unlock()
	var here []Lie
	for _, l := range told {
		if path, about := l.about(from.method, from.tag); about {
			here = append(here, Lie{Field: path, Value: l.Value})
		}
	}
	n := change(root, here)
	p.mu.Lock()
	p.told += n
	p.mu.Unlock()
	return n > 0
}

// tagOf returns the subject of a question if the answer's meaning depends on it: the requested
// type, or the function that a transaction calls.
func tagOf(question, answer *node) string {
	if question != nil {
		if t := typeOf(question, 1); t != "" {
			return t
		}
		if t := called(question); t != "" {
			return t
		}
	}
	for _, n := range answer.parts {
		if n.name == "object" {
			return typeOf(n, 1)
		}
	}
	return ""
}

// called returns the first Move call of a transaction in a simulation or execution request. With
// checks on, it is the transaction to sign.
func called(question *node) string {
	var raw []byte
	checks := ""
	for _, n := range places(question) {
		switch {
		case n.path == "transaction.bcs.value":
			raw = n.node.bytes
		case n.path == "checks" && n.node.value == 0:
			checks = "checked "
		}
	}
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return ""
	}
	name := "coins"
	for _, c := range tx.Commands {
		if call, ok := c.(sui.MoveCall); ok {
			name = call.Module + "::" + call.Function
			break
		}
	}
	if len(tx.Gas.Payment) > 0 && checks == "" {
		checks = "built "
	}
	return checks + name
}
