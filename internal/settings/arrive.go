package settings

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// imported is what the journal says of everything that came in with a copy.
const imported = "imported"

// arrivals say what a copy's reviews become, for the page.
type arrivals struct {
	ended    int // were unfinished and never handed out; arrive expired
	unknown  int // were handed to a wallet with an unknown result, and arrive expired
	awaiting int // are signed and known by digest; their result is read from the chain
}

// arrive judges a copy and makes of it what may come in: nothing proven,
// nothing that can be opened or signed, and a journal that says that it came
// from a copy. now ends what was unfinished.
func arrive(d *Document, network string, now time.Time) (arrivals, error) {
	var a arrivals
	if d.Network != network {
		return a, fault.New(fault.NetworkMismatch, "This copy is of %s; this program works on %s. Nothing was changed.",
			clip(d.Network, 40), network).With("import", "network")
	}
	if !dated(d.CreatedAt, now) {
		return a, damaged(bad("It is %s.", someday), "createdAt")
	}
	if err := checkSettings(&d.Settings); err != nil {
		return a, damaged(err, "settings")
	}
	if err := checkAccounts(d, now); err != nil {
		return a, damaged(err, "accounts")
	}
	if err := checkIdentities(d, now); err != nil {
		return a, damaged(err, "identities")
	}
	seen := make(map[string]bool, len(d.Reviews))
	var marks []Entry
	for i := range d.Reviews {
		s := &d.Reviews[i]
		if err := checkReview(*s, network, now); err != nil {
			return a, damaged(err, "reviews")
		}
		if seen[string(s.ID)] {
			return a, damaged(fault.New(fault.InputInvalid, "The id %s is there twice.", s.ID), "reviews")
		}
		before := s.Status
		a.review(s, now)
		seen[string(s.ID)] = true
		marks = append(marks, Entry{Kind: events.Review, Subject: string(s.ID), From: string(before), To: string(s.Status),
			Revision: s.Revision, What: imported, At: now})
	}
	if err := checkCoins(d.Coins, now); err != nil {
		return a, damaged(err, "coins")
	}
	if err := checkJournal(d.Journal, now); err != nil {
		return a, damaged(err, "journal")
	}
	d.Journal = append(d.Journal, marks...)
	return a, nil
}

// review turns a review into what it may be on a machine that holds no bytes of
// it: finished as it was, signed and awaited where its digest names what the
// chain is asked for, else expired.
func (a *arrivals) review(s *review.Session, now time.Time) {
	*s = bare(*s)
	switch {
	case s.Status.Terminal():
		return
	case s.Status == review.SignedPendingResult && digestKnown(*s):
		a.awaiting++
		return
	case len(s.Outstanding()) > 0:
		a.unknown++
	default:
		a.ended++
	}
	s.Status, s.Reason = review.Expired, ""
	s.Commitment, s.BuiltAt, s.BuildExpiresAt = "", time.Time{}, time.Time{}
	s.State.Contract, s.State.Visualization, s.Execution = nil, nil, nil
	s.Revision++
	s.UpdatedAt = now
}

// digestKnown reports whether a signed review names a transaction that it
// handed out and that can still execute.
func digestKnown(s review.Session) bool {
	if s.Execution == nil || s.Execution.Status != review.SignedPendingResult {
		return false
	}
	d, err := sui.ParseDigest(s.Execution.TxDigest)
	return err == nil && s.Released(d) != nil && !s.Released(d).Dead && s.ChainID != ""
}

func bad(format string, args ...any) error { return fault.New(fault.InputInvalid, format, args...) }

// checkSettings reads addresses as if a person had typed them.
func checkSettings(s *Stored) error {
	for _, w := range []Which{GRPC, GraphQL} {
		text := s.endpoint(w)
		if *text == "" {
			continue
		}
		e, err := ParseEndpoint(w, *text)
		if err != nil {
			return err
		}
		*text = e.URL
	}
	return checkAllowance(s.Allowance)
}

func checkAccounts(d *Document, now time.Time) error {
	if a := d.Active; a != nil {
		if a.Account.IsZero() || !sound(a.Chain, 40) || !sound(a.WalletName, 2000) || !sound(a.WalletID, 2000) || !dated(a.ConnectedAt, now) {
			return bad("The account in use is not a whole record.")
		}
	}
	seen := map[sui.Address]bool{}
	for _, a := range d.Accounts {
		if a.Account.IsZero() || seen[a.Account] || !sound(a.Chain, 40) || !sound(a.WalletName, 2000) || !sound(a.WalletID, 2000) ||
			!dated(a.FirstConnectedAt, now) || !dated(a.LastConnectedAt, now) {
			return bad("The account %s is not a whole record, or is there twice.", a.Account)
		}
		seen[a.Account] = true
	}
	return nil
}

// checkIdentities ends the connect sessions that were unfinished: their links
// are gone.
func checkIdentities(d *Document, now time.Time) error {
	seen := map[string]bool{}
	for i := range d.Identities {
		v := &d.Identities[i]
		known := slices.Contains([]account.IdentityStatus{account.Pending, account.Opened, account.Connecting, account.Connected,
			account.Rejected, account.Failed, account.Expired}, account.IdentityStatus(v.Status))
		if seen[v.ID] || !known || !named(v.ID) || !sound(v.Chain, 40) || !sound(v.WalletName, 2000) || !sound(v.WalletID, 2000) ||
			!sound(v.FailureReason, 100) || !sound(v.FailureDetail, 5000) || !dated(v.CreatedAt, now) || !dated(v.UpdatedAt, now) ||
			(v.Status == string(account.Connected)) != (v.Account != nil) {
			return bad("The connect session %q is not a whole record, or is there twice.", clip(v.ID, 40))
		}
		if !account.IdentityStatus(v.Status).Terminal() {
			v.Status = string(account.Expired)
		}
		seen[v.ID] = true
	}
	return nil
}

func checkReview(s review.Session, network string, now time.Time) error {
	switch {
	case !named(string(s.ID)):
		return bad("A review has no sound id.")
	case s.Network != network:
		return bad("The review %s is of another network.", s.ID)
	case !slices.Contains(review.Statuses(), s.Status):
		return bad("The review %s has a status that does not exist.", s.ID)
	case s.Reason != "" && s.Reason.Status() == "":
		return bad("The review %s has a reason that does not exist.", s.ID)
	case s.Account.IsZero() && s.Proposal == nil || s.Revision < 0 || s.Revision > 1<<40:
		return bad("The review %s names no account, or a revision that cannot be.", s.ID)
	case !sound(s.Protocol, 60) || !sound(s.Action, 60) || !sound(s.WalletName, 2000) || !sound(s.WalletID, 2000):
		return bad("The review %s has a text that is not one.", s.ID)
	case s.Commitment != "" && !hexadecimal(s.Commitment, 64):
		return bad("The review %s has a commitment that is none.", s.ID)
	case s.ChainID != "" && !isDigest(s.ChainID):
		return bad("The review %s names a chain that is none.", s.ID)
	case !dated(s.CreatedAt, now) || !dated(s.UpdatedAt, now) || !dated(s.ExpiresAt, now):
		return bad("The review %s lacks a time, or has one that is "+someday+".", s.ID)
	}
	if s.Proposal != nil && s.Proposal.Check(network) != nil {
		return bad("The review %s is of a proposal that is none.", s.ID)
	}
	ended := s.Execution != nil && s.Execution.Status == s.Status
	if (s.Status == review.Success || s.Status == review.SignedPendingResult) && !ended {
		return bad("The review %s says %s and nothing about a transaction.", s.ID, s.Status)
	}
	seen := map[sui.Digest]bool{}
	for _, r := range s.Releases {
		if r.Digest.IsZero() || seen[r.Digest] || !hexadecimal(r.Commitment, 64) || !sound(r.Outcome, 60) ||
			!dated(r.At, now) || r.SignedAt.After(latest(now)) || r.SubmittedAt.After(latest(now)) {
			return bad("The review %s has a release that is not a whole record, or is there twice.", s.ID)
		}
		seen[r.Digest] = true
	}
	return nil
}

func checkCoins(coins []CoinWord, now time.Time) error {
	type key struct {
		chain sui.Digest
		coin  sui.CoinType
	}
	seen := make(map[key]bool, len(coins))
	for _, c := range coins {
		canonical, err := sui.ParseCoinType(string(c.CoinType))
		k := key{c.Chain, c.CoinType}
		if err != nil || canonical != c.CoinType || c.Chain.IsZero() || seen[k] || !sound(c.Symbol, 2000) || !sound(c.Name, 2000) ||
			c.CheckedAt.After(latest(now)) {
			return bad("The description of %q is not a whole record, or is there twice.", clip(string(c.CoinType), 100))
		}
		seen[k] = true
	}
	return nil
}

// checkJournal judges the rows alone: what they are about may be gone.
func checkJournal(journal []Entry, now time.Time) error {
	for i, e := range journal {
		if strings.Trim(string(e.Kind), "abcdefghijklmnopqrstuvwxyz_") != "" || e.Kind == "" || len(e.Kind) > 40 ||
			!sound(e.Subject, 100) || !sound(e.From, 100) || !sound(e.To, 100) || !sound(e.What, 200) || e.Revision < 0 || !dated(e.At, now) {
			return bad("Row %d is not a whole record.", i+1)
		}
	}
	return nil
}

// sound reports whether a text is at most so many bytes and holds no character
// that ends a text early.
func sound(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

// named reports whether an id is one that a path and a page can carry.
func named(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return id != "" && len(id) <= 64 && strings.Trim(id, letters) == ""
}

// latest is the last time that a copy may name: clocks of two machines differ.
// What is beyond it would stand first in every list, and count towards the
// limits of 24 hours, for ever.
func latest(now time.Time) time.Time { return now.Add(24 * time.Hour) }

const someday = "more than a day ahead of this computer's clock"

// dated reports whether a time is there and not beyond the latest.
func dated(t, now time.Time) bool { return !t.IsZero() && t.Before(latest(now)) }

func hexadecimal(s string, n int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == n
}

func isDigest(s string) bool {
	d, err := sui.ParseDigest(s)
	return err == nil && !d.IsZero()
}
