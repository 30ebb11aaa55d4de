package listing

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Harmless reports whether signing a blocked review would do no harm, for example because the
// account has too few coins or the user set a limit.
func Harmless(s record.Session) bool {
	cause := FirstCheck(s.State.Checks)
	if slices.Contains(harmful, cause.ID) {
		return false
	}
	switch s.Reason {
	case plan.InsufficientBalance, plan.InsufficientGas, plan.WalletMismatch, plan.NetworkMismatch,
		plan.UnsupportedAction, plan.ObjectResolutionFailed, plan.AdapterNotImplemented:
		return true
	}
	return Limited(cause)
}

// CheckPayee is the check of a payment's recipient.
const CheckPayee = "payment_recipient"

// harmful are the checks of the recipient. If one of them blocks a review, nobody should sign it,
// whatever the reason.
var harmful = []string{CheckPayee, "payment_name", "transfer_name"}

// Limited reports whether a check concerns a limit or a list that the user set.
func Limited(c plan.Check) bool {
	return c.Status == plan.CheckFail && strings.HasPrefix(c.ID, "allowance_") && c.ID != "allowance_"
}

// FirstCheck returns the most important check, or the zero Check if there is none.
func FirstCheck(checks []plan.Check) plan.Check {
	if len(checks) == 0 {
		return plan.Check{}
	}
	return checks[0]
}
