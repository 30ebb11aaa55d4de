package web

import (
	"strconv"
	"strings"
)

// heads follows the bytes of a connection across requests. It is stricter than package net/http,
// which accepts lines without CR, continued lines, and repeated lengths.
type heads struct {
	count     int  // number of complete request heads
	whole     int  // number of complete requests, including their bodies
	malformed bool // a head was malformed
	raw       bool // the length of what follows is unknown

	line     []byte // the current line of a head, cut to mostHeadLine
	cr       bool   // the last byte was a CR
	lines    int    // number of lines in the current head
	sized    bool   // the current head has a length, which is in size
	size     int64
	last     bool  // the length of what follows the current head is unknown
	bodyLeft int64 // bytes of the body that have not arrived yet
}

// mostHeadLine is how many bytes of a line are kept. A line with a content length is shorter.
const mostHeadLine = 64

// begun reports whether part of the next request has arrived.
func (h *heads) begun() bool { return h.bodyLeft > 0 || h.lines > 0 || len(h.line) > 0 }

// take processes the next bytes.
func (h *heads) take(b []byte) {
	for len(b) > 0 && !h.raw && !h.malformed {
		if h.bodyLeft > 0 {
			n := min(h.bodyLeft, int64(len(b)))
			h.bodyLeft -= n
			b = b[n:]
			if h.bodyLeft == 0 {
				h.whole++
			}
			continue
		}
		c := b[0]
		b = b[1:]
		switch {
		case h.cr != (c == '\n'): // a CR without LF, or an LF without CR
			h.malformed = true
		case c == '\n':
			h.endLine()
		case c == '\r':
		case len(h.line) < mostHeadLine:
			h.line = append(h.line, c)
		}
		h.cr = c == '\r'
	}
}

// endLine processes a complete line. An empty line ends the head.
func (h *heads) endLine() {
	line := string(h.line)
	h.line = h.line[:0]
	if line == "" {
		h.malformed = h.lines == 0
		h.count++
		h.raw, h.bodyLeft = h.last, h.size
		if h.bodyLeft == 0 || h.raw {
			h.whole++
		}
		h.lines, h.sized, h.size = 0, false, 0
		return
	}
	h.lines++
	if h.lines == 1 {
		return
	}
	name, value, _ := strings.Cut(line, ":")
	switch {
	case line[0] == ' ' || line[0] == '\t': // the line continues the previous one
		h.malformed = true
	case strings.EqualFold(name, "Content-Length"):
		size, err := strconv.ParseInt(strings.Trim(value, " \t"), 10, 64)
		h.malformed = h.sized || err != nil || size < 0
		h.size, h.sized = size, true
	case strings.EqualFold(name, "Transfer-Encoding"), strings.EqualFold(name, "Upgrade"):
		h.last = true
	}
}
