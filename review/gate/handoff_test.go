package gate_test

import (
	"github.com/sayurintent/sayurintent/internal/record"
)

func final(s record.Session) bool { return s.Status.Terminal() }
