package gate_test

import (
	"github.com/sayurintent/sayurintent/review/record"
)

func final(s record.Session) bool { return s.Status.Terminal() }
