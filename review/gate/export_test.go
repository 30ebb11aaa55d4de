package gate

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
)

// JudgeAllowance checks a review's facts against limits.
func JudgeAllowance(a policy.Allowance, s record.Session, f plan.Facts, handed []record.Handed,
	now time.Time) *plan.Stop {
	return record.Judged(a, s, f, handed, now)
}
