package node

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxRequest limits a request body; a transaction is at most 128 KiB.
const maxRequest = 1 << 20

// LoopbackHost reports whether a Host header names this machine.
func LoopbackHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && ip.IsLoopback()
}

// loopbackOrigin reports whether the origin is a page on this machine.
func loopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && LoopbackHost(u.Host)
}

// serveWeb translates one gRPC-web call. Pages on this machine may call across ports; other origins
// may not.
func (s *Server) serveWeb(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" {
		if !loopbackOrigin(origin) {
			http.Error(w, "this origin may not use the sandbox", http.StatusForbidden)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "grpc-status, grpc-message")
		w.Header().Add("Vary", "Origin")
	}
	switch r.Method {
	case http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Methods", "POST")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPost:
	default:
		w.Header().Set("Allow", "POST")
		http.Error(w, "gRPC-web is POST", http.StatusMethodNotAllowed)
		return
	}
	kind := r.Header.Get("Content-Type")
	text := strings.HasPrefix(kind, "application/grpc-web-text")
	in := r.Clone(r.Context())
	in.ProtoMajor, in.ProtoMinor, in.Proto = 2, 0, "HTTP/2.0"
	in.Header.Set("Content-Type", "application/grpc+proto")
	in.Header.Del("Content-Length")
	in.ContentLength = -1
	body := io.Reader(http.MaxBytesReader(w, r.Body, maxRequest))
	if text {
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	in.Body = io.NopCloser(body)
	out := &webWriter{to: w, header: http.Header{}, kind: kind, text: text}
	s.grpc.ServeHTTP(out, in)
	out.finish()
}

// webWriter turns a gRPC answer into gRPC-web: the trailers become the last frame of the body.
type webWriter struct {
	to     http.ResponseWriter
	header http.Header
	kind   string
	text   bool
	begun  bool
}

func (w *webWriter) Header() http.Header { return w.header }

// WriteHeader passes on all headers except the trailers, which finish writes into the body.
func (w *webWriter) WriteHeader(code int) {
	if w.begun {
		return
	}
	w.begun = true
	for name, values := range w.header {
		if name != "Trailer" && !strings.HasPrefix(name, http.TrailerPrefix) && !slices.Contains(w.trailers(), name) {
			w.to.Header()[name] = values
		}
	}
	w.to.Header().Set("Content-Type", w.kind)
	w.to.WriteHeader(code)
}

// Write passes on one frame. In the text form, each frame is a separate base64 text, because
// clients decode chunk by chunk.
func (w *webWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !w.text {
		return w.to.Write(p)
	}
	if _, err := io.WriteString(w.to, base64.StdEncoding.EncodeToString(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on everything written so far.
func (w *webWriter) Flush() {
	if f, ok := w.to.(http.Flusher); ok && w.begun {
		f.Flush()
	}
}

// trailers returns the header names announced as trailers.
func (w *webWriter) trailers() []string {
	var names []string
	for _, list := range w.header["Trailer"] {
		for name := range strings.SplitSeq(list, ",") {
			names = append(names, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	return names
}

// finish writes the trailer frame.
func (w *webWriter) finish() {
	var lines strings.Builder
	add := func(name string, values []string) {
		for _, v := range values {
			lines.WriteString(strings.ToLower(name) + ": " + v + "\r\n")
		}
	}
	for _, name := range w.trailers() {
		add(name, w.header[name])
	}
	for name, values := range w.header {
		if bare, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			add(bare, values)
		}
	}
	frame := binary.BigEndian.AppendUint32([]byte{0x80}, uint32(lines.Len()))
	_, _ = w.Write(append(frame, lines.String()...))
	w.Flush()
}
