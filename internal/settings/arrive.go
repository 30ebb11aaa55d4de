package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// imported is what the journal says of everything that came in with a copy.
const imported = "imported"

// arrival judges a copy row by row and makes of it what may come in: nothing
// proven, nothing that can be opened or signed, and a journal that says that it
// came from a copy. It holds no row, only what tells one from another.
type arrival struct {
	network string
	now     time.Time     // ends what was unfinished
	again   bool          // the same bytes were judged before
	own     []sui.Address // whose private keys no text may hold

	head  Head
	seen  map[[16]byte]bool // the keys of rows, hashed
	count map[string]int    // rows of each list
	marks []mark            // what the journal says of each review in the end

	ended    int // reviews that were unfinished and never handed out; they arrive expired
	unknown  int // were handed to a wallet with an unknown result, and arrive expired
	awaiting int // are signed and known by digest; their result is read from the chain
}

// mark is a journal row about a review that came in.
type mark struct {
	id       review.ID
	from, to review.Status
	revision int64
}

// mostOwn bounds the addresses of a copy whose keys are looked for.
const mostOwn = 1000

// newArrival judges a copy for the first time.
func (s *Service) newArrival(p Present) *arrival {
	a := emptyArrival(s.c.Network, s.c.Now().UTC())
	a.own = p.own()
	return a
}

func emptyArrival(network string, now time.Time) *arrival {
	return &arrival{network: network, now: now, seen: map[[16]byte]bool{}, count: map[string]int{}}
}

// read reads a copy and hands what may come in to the visitor.
func (a *arrival) read(ctx context.Context, in io.Reader, to Visit) error {
	r := &reader{again: a.again, begin: func(h Head) (Visit, error) {
		if err := a.begin(h); err != nil {
			return Visit{}, err
		}
		return Visit{
			Account:  taken(ctx, a, "accounts", a.account, to.Account),
			Identity: taken(ctx, a, "identities", a.identity, to.Identity),
			Review:   taken(ctx, a, "reviews", a.review, to.Review),
			Coin:     taken(ctx, a, "coins", a.coin, to.Coin),
			Entry:    taken(ctx, a, "journal", a.entry, to.Entry),
		}, nil
	}}
	err := r.read(in)
	if err != nil || to.Entry == nil {
		return err
	}
	for _, m := range a.marks {
		err := to.Entry(Entry{Kind: events.Review, Subject: string(m.id), From: string(m.from), To: string(m.to),
			Revision: m.revision, What: imported, At: a.now})
		if err != nil {
			return err
		}
	}
	return nil
}

// taken judges a row, which changes it, and hands it on to whoever wants it.
func taken[T any](ctx context.Context, a *arrival, list string, judge func(*T) error, to func(T) error) func(T) error {
	return func(row T) error {
		if err := ctx.Err(); err != nil {
			return lost(err)
		}
		a.count[list]++
		if err := judge(&row); err != nil {
			if fault.As(err).Detail.Get("import") != "" {
				return err
			}
			return damaged(err, list)
		}
		if to == nil {
			return nil
		}
		return to(row)
	}
}

// twice reports whether a key of a list was there before.
func (a *arrival) twice(list string, key ...string) bool {
	sum := sha256.Sum256([]byte(list + "\x00" + strings.Join(key, "\x00")))
	k := [16]byte(sum[:])
	defer func() { a.seen[k] = true }()
	return a.seen[k]
}

// counts gives how many of each thing came, in words of the page.
func (a *arrival) counts() []Count {
	return []Count{
		{"Reviews", a.count["reviews"]}, {"Remembered accounts", a.count["accounts"]}, {"Connect sessions", a.count["identities"]},
		{"Journal entries", a.count["journal"]}, {"Descriptions of coins", a.count["coins"]},
	}
}

// begin judges the head of a copy.
func (a *arrival) begin(h Head) error {
	if h.Network != a.network {
		return fault.New(fault.NetworkMismatch, "This copy is of %s; this program works on %s. Nothing was changed.",
			fault.Clip(h.Network, 40), a.network).With("import", "network")
	}
	if !dated(h.CreatedAt, a.now) {
		return damaged(bad("It is %s.", someday), "createdAt")
	}
	if err := checkSettings(&h.Settings); err != nil {
		return damaged(err, "settings")
	}
	if u := h.Active; u != nil {
		if u.Account.IsZero() || !sound(u.Chain, 40) || !sound(u.WalletName, 2000) || !sound(u.WalletID, 2000) || !dated(u.ConnectedAt, a.now) {
			return damaged(bad("The account in use is not a whole record."), "activeAccount")
		}
		a.own = append(a.own, u.Account)
		if err := a.search("activeAccount", "the account in use", "wallet", wallet{Name: u.WalletName, ID: u.WalletID}); err != nil {
			return err
		}
	}
	a.head = h
	return nil
}

func (a *arrival) account(v *Account) error {
	if v.Account.IsZero() || a.twice("accounts", v.Account.String()) || !sound(v.Chain, 40) || !sound(v.WalletName, 2000) || !sound(v.WalletID, 2000) ||
		!dated(v.FirstConnectedAt, a.now) || !dated(v.LastConnectedAt, a.now) {
		return bad("The account %s is not a whole record, or is there twice.", v.Account)
	}
	if len(a.own) < mostOwn {
		a.own = append(a.own, v.Account)
	}
	return a.search("accounts", "the account "+v.Account.String(), "wallet", wallet{Name: v.WalletName, ID: v.WalletID})
}

// identity ends a connect session that was unfinished: its link is gone.
func (a *arrival) identity(v *Identity) error {
	known := slices.Contains([]account.IdentityStatus{account.Pending, account.Opened, account.Connecting, account.Connected,
		account.Rejected, account.Failed, account.Expired}, account.IdentityStatus(v.Status))
	if a.twice("identities", v.ID) || !known || !named(v.ID) || !sound(v.Chain, 40) || !sound(v.WalletName, 2000) || !sound(v.WalletID, 2000) ||
		!sound(v.FailureReason, 100) || !sound(v.FailureDetail, 5000) || !dated(v.CreatedAt, a.now) || !dated(v.UpdatedAt, a.now) ||
		(v.Status == string(account.Connected)) != (v.Account != nil) {
		return bad("The connect session %q is not a whole record, or is there twice.", fault.Clip(v.ID, 40))
	}
	if !account.IdentityStatus(v.Status).Terminal() {
		v.Status = string(account.Expired)
	}
	return a.search("identities", "the connect session "+v.ID, "wallet",
		wallet{Name: v.WalletName, ID: v.WalletID, Reason: v.FailureReason, Detail: v.FailureDetail})
}

// review turns a review into what it may be on a machine that holds no bytes of
// it: finished as it was, signed and awaited where its digest names what the
// chain is asked for, else expired.
func (a *arrival) review(s *review.Session) error {
	if err := checkReview(*s, a.network, a.now); err != nil {
		return err
	}
	if a.twice("reviews", string(s.ID)) {
		return bad("The id %s is there twice.", s.ID)
	}
	what := "the review " + string(s.ID)
	if err := a.search("reviews", what, "wallet", wallet{Name: s.WalletName, ID: s.WalletID}); err != nil {
		return err
	}
	if err := a.search("reviews", what, "intent", s.Intent); err != nil {
		return err
	}
	if s.Proposal != nil {
		if err := a.search("reviews", what, "proposal", *s.Proposal); err != nil {
			return err
		}
	}
	before := s.Status
	*s = bare(*s)
	switch {
	case before.Terminal():
	case before == review.SignedPendingResult && digestKnown(*s):
		a.awaiting++
	default:
		if len(s.Outstanding()) > 0 {
			a.unknown++
		} else {
			a.ended++
		}
		end(s, a.now)
	}
	a.marks = append(a.marks, mark{s.ID, before, s.Status, s.Revision})
	return nil
}

// end takes from a review what a page could act on.
func end(s *review.Session, now time.Time) {
	s.Status, s.Reason = review.Expired, ""
	s.Commitment, s.BuiltAt, s.BuildExpiresAt = "", time.Time{}, time.Time{}
	s.State.Contract, s.State.Visualization, s.Execution = nil, nil, nil
	s.Revision++
	s.UpdatedAt = now
}

// search refuses a copy with a text that holds what looks like a secret. This
// program never takes one in, so somebody changed the copy. what names the row.
func (a *arrival) search(list, what, name string, document any) error {
	if a.again {
		return nil
	}
	found, ok := screen.Find(name, document, a.own)
	if !ok {
		return nil
	}
	return fault.New(fault.InputInvalid, "In row %d of %s, %s, %s holds what looks like %s. This program never takes that in, so "+
		"somebody changed this copy. Nothing was changed, and nothing of the text was kept or shown. If the secret is yours, move what it guards to a new key.",
		a.count[list], list, what, found.Path, found.Class.Words()).
		With("import", "secret").With("field", found.Path).With("row", strconv.Itoa(a.count[list])).With("class", string(found.Class))
}

// wallet is what a row says of a wallet, in the words of a page.
type wallet struct {
	Name   string `json:"walletName" screen:"name"`
	ID     string `json:"walletId" screen:"name"`
	Reason string `json:"failureReason" screen:"name"`
	Detail string `json:"failureDetail" screen:"name"`
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
	return s.Allowance.Check()
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
	if what := s.CheckStored(); what != "" {
		return bad("The review %s is no whole record: %s.", s.ID, what)
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

func (a *arrival) coin(c *CoinWord) error {
	canonical, err := sui.ParseCoinType(string(c.CoinType))
	if err != nil || canonical != c.CoinType || c.Chain.IsZero() || a.twice("coins", c.Chain.String(), string(c.CoinType)) ||
		!sound(c.Symbol, 2000) || !sound(c.Name, 2000) || c.CheckedAt.After(latest(a.now)) {
		return bad("The description of %q is not a whole record, or is there twice.", fault.Clip(string(c.CoinType), 100))
	}
	return nil
}

// entry judges a journal row alone: what it is about may be gone.
func (a *arrival) entry(e *Entry) error {
	if strings.Trim(string(e.Kind), "abcdefghijklmnopqrstuvwxyz_") != "" || e.Kind == "" || len(e.Kind) > 40 ||
		!sound(e.Subject, 100) || !sound(e.From, 100) || !sound(e.To, 100) || !sound(e.What, 200) || e.Revision < 0 || !dated(e.At, a.now) {
		return bad("Row %d is not a whole record.", a.count["journal"])
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
