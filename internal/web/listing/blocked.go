package listing

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Harmless reports whether a review is blocked by something that would do no harm, such as too few
// coins or a limit of the user.
func Harmless(s record.Session) bool {
	cause := firstOf(s.State.Checks)
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

// CheckPayee is the check of the address that is paid.
const CheckPayee = "payment_recipient"

// harmful are the checks of who is paid: whatever the reason, nobody should sign that.
var harmful = []string{CheckPayee, "payment_name", "transfer_name"}

// Limited reports whether a check was of a limit or a list that the user set.
func Limited(c plan.Check) bool {
	return c.Status == plan.CheckFail && strings.HasPrefix(c.ID, "allowance_") && c.ID != "allowance_"
}

// firstOf is the check that matters most, the zero Check if there is none.
func firstOf(checks []plan.Check) plan.Check {
	if len(checks) == 0 {
		return plan.Check{}
	}
	return checks[0]
}
