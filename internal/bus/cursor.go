package bus

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Cursor is a place in one log. Its text is opaque to readers.
type Cursor struct {
	Log string
	Seq Seq
}

// logID is the form of a log's id: 128 random bits in hexadecimal digits.
var logID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// String returns the text that ParseCursor reads.
func (c Cursor) String() string { return c.Log + "." + strconv.FormatInt(int64(c.Seq), 10) }

// ParseCursor reads a cursor, or fault.InputInvalid. A cursor of another log can be
// read: whoever uses it is told that it is.
func ParseCursor(text string) (Cursor, error) {
	log, number, _ := strings.Cut(text, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !logID.MatchString(log) || seq < 0 || seq >= 1<<53 || number != strconv.FormatInt(seq, 10) {
		return Cursor{}, fault.New(fault.InputInvalid,
			"This is no cursor. Use one that an earlier answer returned, or leave it out.")
	}
	return Cursor{log, Seq(seq)}, nil
}
