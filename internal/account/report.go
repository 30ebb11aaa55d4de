package account

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// withheld replaces the detail of a failure if it contained a secret.
const withheld = "The wallet's message was not stored, because it seemed to contain a secret or a transaction."

// screened rejects a report with a secret or transaction bytes in a name, because AI clients
// receive names. A secret in the detail of a failure is replaced instead, so that the failure is
// still reported.
func (s *Service) screened(ctx context.Context, r Report) (Report, error) {
	known, err := s.c.Store.KnownAccounts(ctx)
	if err != nil {
		return r, err
	}
	var own []sui.Address
	for _, k := range known {
		own = append(own, k.Account)
	}
	found, ok := screen.Find("wallet", r, own)
	if ok && found.Path == "wallet.failureDetail" {
		r.FailureDetail = withheld
		found, ok = screen.Find("wallet", r, own)
	}
	if !ok {
		return r, nil
	}
	return r, fault.New(fault.InputInvalid, "%s holds what looks like %s. Nothing of it was kept. Connect another wallet.",
		found.Path, found.Class.Words()).With("field", found.Path).With("class", string(found.Class))
}

// read validates a report and returns the fields of Identity that it sets.
func (s *Service) read(r Report) (Identity, error) {
	next := Identity{
		Status:     r.Status,
		WalletName: clean(r.WalletName, MostName),
		WalletID:   clean(r.WalletID, MostName),
	}
	switch r.Status {
	case Connecting:
		return next, nil
	case Connected:
		return s.readConnected(r, next)
	case Rejected:
		if r.FailureReason != "" && r.FailureReason != UserRejected {
			return Identity{}, fault.New(fault.InputInvalid, "A rejected connection has the reason %s.", UserRejected)
		}
		next.FailureReason = UserRejected
	case Failed:
		switch r.FailureReason {
		case NoCompatibleWallet, NoAccountsAuthorized, UnsupportedChain, WalletProviderError:
		default:
			return Identity{}, fault.New(fault.InputInvalid, "A failed connection names one of the reasons %s, %s, %s, %s.",
				NoCompatibleWallet, NoAccountsAuthorized, UnsupportedChain, WalletProviderError)
		}
		next.FailureReason = r.FailureReason
	default:
		return Identity{}, fault.New(fault.InputInvalid, "A connect page reports %s, %s, %s or %s.",
			Connecting, Connected, Rejected, Failed)
	}
	next.FailureDetail = clean(r.FailureDetail, MostDetail)
	return next, nil
}

func (s *Service) readConnected(r Report, next Identity) (Identity, error) {
	const digits = 64
	address, err := sui.ParseAccount(r.Account)
	if err != nil || address.IsZero() {
		return Identity{}, fault.New(fault.InputInvalid,
			"A connected wallet gives its whole account address: 0x and %d hexadecimal digits.", digits)
	}
	if r.FailureReason != "" || r.FailureDetail != "" {
		return Identity{}, fault.New(fault.InputInvalid, "A connected wallet has no failure to report.")
	}
	if r.Chain != s.c.Chain {
		next.Status, next.FailureReason = Failed, UnsupportedChain
		next.FailureDetail = clean("The wallet's account is for "+orNothing(clean(r.Chain, 60))+
			"; this server works on "+s.c.Chain+".", MostDetail)
		return next, nil
	}
	next.Account, next.Chain = &address, r.Chain
	return next, nil
}

func orNothing(chain string) string {
	if chain == "" {
		return "no named chain"
	}
	return chain
}

// apply sets the session's status and fields to those of next, if that transition is allowed.
func (s *Service) apply(row *Row, next Identity) error {
	now := row.Identity
	if same(now, next) {
		return errUnchanged
	}
	if !canMove(now.Status, next) {
		if now.Status == Expired {
			return expired()
		}
		return ended(now.Status, next.Status)
	}
	i := &row.Identity
	i.Status, i.Account, i.Chain = next.Status, next.Account, next.Chain
	i.FailureReason, i.FailureDetail = next.FailureReason, next.FailureDetail
	if next.WalletName != "" || next.WalletID != "" {
		i.WalletName, i.WalletID = next.WalletName, next.WalletID
	}
	if next.Status == Connected {
		k := row.Accounts.remember(Known{
			Account: *i.Account, Chain: i.Chain, WalletName: i.WalletName, WalletID: i.WalletID, LastConnectedAt: i.UpdatedAt,
		})
		i.ProvenAt, i.Replaced = k.ProvenAt, row.Accounts.take(k, i.UpdatedAt)
	}
	return nil
}

// ended returns the error for a session in status from that cannot become to.
func ended(from, to IdentityStatus) error {
	return fault.New(fault.InvalidSessionTransition,
		"This connect session is %s; it cannot become %s. Ask your AI client for a new one if you want to connect again.",
		from, to)
}

// canMove reports whether a report may change a session's status. An opened session may fail
// directly if the page found no wallet.
func canMove(from IdentityStatus, to Identity) bool {
	switch from {
	case Opened:
		return to.Status == Connecting || to.Status == Failed && to.FailureReason == NoCompatibleWallet
	case Connecting:
		return to.Status == Connecting || to.Status == Connected || to.Status == Rejected || to.Status == Failed
	default:
		return false
	}
}

// same reports whether a report repeats the recorded state.
func same(now, next Identity) bool {
	if now.Status != next.Status || now.FailureReason != next.FailureReason || now.Chain != next.Chain {
		return false
	}
	if (now.Account == nil) != (next.Account == nil) || now.Account != nil && *now.Account != *next.Account {
		return false
	}
	named := next.WalletName != "" || next.WalletID != ""
	return !named || now.WalletName == next.WalletName && now.WalletID == next.WalletID
}

// clean converts text from a wallet to a single line of up to most code points, without runs of
// spaces. Hidden characters are shown by number.
func clean(text string, most int) string {
	return screen.Line(strings.Join(strings.Fields(text), " "), most)
}
