package bus

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Cursor is a position in one log. Its text is opaque to readers.
type Cursor struct {
	Log string
	Seq Seq
}

// logID matches a log ID: 128 random bits in hexadecimal.
var logID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// String returns the text that ParseCursor reads.
func (c Cursor) String() string { return c.Log + "." + strconv.FormatInt(int64(c.Seq), 10) }

// ParseCursor parses the text of a cursor. It returns fault.InputInvalid if the text is malformed.
// It does not check that the cursor belongs to this log; Since does.
func ParseCursor(text string) (Cursor, error) {
	log, number, _ := strings.Cut(text, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !logID.MatchString(log) || seq < 0 || seq >= 1<<53 || number != strconv.FormatInt(seq, 10) {
		return Cursor{}, fault.New(fault.InputInvalid,
			"This is not a cursor. Use one from an earlier answer, or omit it.")
	}
	return Cursor{log, Seq(seq)}, nil
}
