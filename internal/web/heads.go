package web

import (
	"strconv"
	"strings"
)

// heads follows the bytes of a connection from one request to the next. It is stricter
// than package net/http, which takes lines that end without CR, lines that continue the
// one before, and a length that is written twice.
type heads struct {
	count     int  // heads that were complete
	whole     int  // requests that were complete, with their bodies
	malformed bool // one was not well formed
	raw       bool // what follows is no request of which the length is known

	line     []byte // the present line of a head, cut where it is long
	cr       bool   // the last byte was CR
	lines    int    // of the present head
	sized    bool   // the present head has a length, which is size
	size     int64
	last     bool  // what follows the present head is raw
	bodyLeft int64 // bytes of a body that are still to come
}

// mostHeadLine is how much of a line is looked at: more than any length needs.
const mostHeadLine = 64

// begun reports whether part of the next request has arrived.
func (h *heads) begun() bool { return h.bodyLeft > 0 || h.lines > 0 || len(h.line) > 0 }

// take follows the next bytes.
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
		case h.cr != (c == '\n'): // a bare CR, or a bare LF
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

// endLine judges a line of a head, and ends the head at an empty one.
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
	case line[0] == ' ' || line[0] == '\t': // it continues the line before
		h.malformed = true
	case strings.EqualFold(name, "Content-Length"):
		size, err := strconv.ParseInt(strings.Trim(value, " \t"), 10, 64)
		h.malformed = h.sized || err != nil || size < 0
		h.size, h.sized = size, true
	case strings.EqualFold(name, "Transfer-Encoding"), strings.EqualFold(name, "Upgrade"):
		h.last = true
	}
}
