package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errFrameTooLong is returned for a line over the limit, which was skipped.
var errFrameTooLong = errors.New("the line is too long")

// keptBuffer is the size up to which a line buffer is reused for the next line.
const keptBuffer = 1 << 20

// frames reads lines of bounded length.
type frames struct {
	in    *bufio.Reader
	limit int
	line  []byte
	ended bool
}

func newFrames(in io.Reader, limit int) *frames {
	return &frames{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// next returns the next line that is not blank, without its line end and byte order mark. The line
// is valid until the next call. The last line may lack a line end. A line over the limit is skipped
// without being stored, and next returns errFrameTooLong. At the end of input next returns io.EOF.
func (f *frames) next() ([]byte, error) {
	for {
		line, err := f.read()
		if err != nil {
			return nil, err
		}
		line = bytes.Trim(bytes.TrimPrefix(line, []byte("\ufeff")), " \t\r\n")
		if len(line) > 0 {
			return line, nil
		}
	}
}

func (f *frames) read() ([]byte, error) {
	if f.ended {
		return nil, io.EOF
	}
	if cap(f.line) > keptBuffer {
		f.line = nil
	}
	f.line = f.line[:0]
	long := false
	for {
		chunk, err := f.in.ReadSlice('\n')
		if err == nil && len(f.line) == 0 && !long && len(chunk) <= f.limit {
			return chunk, nil
		}
		if long = long || len(f.line)+len(chunk) > f.limit; long {
			f.line = f.line[:0]
		} else {
			f.line = append(f.line, chunk...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			f.ended = true
		case err != nil:
			return nil, err
		}
		if long {
			return nil, errFrameTooLong
		}
		return f.line, nil
	}
}
