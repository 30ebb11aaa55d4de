package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// imported is what the journal says of everything that came in with a backup.
const imported = "imported"

// mostOwn bounds the addresses of a backup whose keys are looked for.
const mostOwn = 1000

// importer judges a backup row by row and makes of it what may come in: nothing
// proven, nothing that can be opened or signed, and a journal that says that it
// was imported. It holds no row, only what tells one from another.
type importer struct {
	network string
	now     time.Time     // ends what was unfinished
	again   bool          // the same bytes were judged before
	own     []sui.Address // whose private keys no text may hold

	head  Head
	seen  map[[16]byte]bool // the keys of rows, hashed
	count map[string]int    // rows of each list
	marks []Entry           // what the journal says of each review in the end

	ended    int // reviews that were unfinished and never released; they arrive expired
	unknown  int // were handed to a wallet with an unknown result, and arrive expired
	awaiting int // are signed and known by digest; their result is read from the chain
}

// newImporter makes an importer for one reading of one backup. The keys of the
// accounts of this machine are looked for in its texts, and those of its own.
func (s *Service) newImporter(present State) *importer {
	i := &importer{network: s.c.Network, now: s.c.Now().UTC(), own: slices.Clone(present.Known), seen: map[[16]byte]bool{}, count: map[string]int{}}
	if present.Active != nil {
		i.own = append(i.own, present.Active.Account)
	}
	return i
}

// read reads a whole backup and hands what may come in to add.
func (i *importer) read(ctx context.Context, file []byte, add func(Row) error) error {
	err := decode(file, i.again, i.begin, func(row Row) error {
		if err := ctx.Err(); err != nil {
			return lost(err)
		}
		list := row.list()
		i.count[list]++
		row, err := i.admit(row)
		switch {
		case err == nil:
			return add(row)
		case fault.As(err).Detail.Get("import") != "":
			return err
		}
		return damaged(err, list)
	})
	// Behind the journal of the backup, so that it ends with what is true here.
	for _, mark := range i.marks {
		if err == nil {
			err = add(mark)
		}
	}
	return err
}

// admit judges a row and returns what becomes of it: some are ended, none gains
// anything.
func (i *importer) admit(row Row) (Row, error) {
	switch v := row.(type) {
	case Account:
		return v, i.account(v)
	case Identity:
		err := i.identity(&v)
		return v, err
	case Review:
		err := i.review(&v.Session)
		return v, err
	case Coin:
		return v, i.coin(v)
	case Name:
		return v, i.name(v)
	case OwnName:
		return v, i.ownName(v)
	case Entry:
		return v, i.entry(v)
	}
	return nil, bad("It is no row.")
}

// twice reports whether a key of a list was there before. Keys are kept as
// hashes: a backup can have a million of them, each as long as a coin type.
func (i *importer) twice(list string, key ...string) bool {
	sum := sha256.Sum256([]byte(list + "\x00" + strings.Join(key, "\x00")))
	k := [16]byte(sum[:])
	defer func() { i.seen[k] = true }()
	return i.seen[k]
}

// counts returns how many of each thing came, in words of the page.
func (i *importer) counts() []Count {
	return []Count{
		{"Reviews", i.count["reviews"]}, {"Remembered accounts", i.count["accounts"]}, {"Connect sessions", i.count["identities"]},
		{"Journal entries", i.count["journal"]}, {"Descriptions of coins", i.count["coins"]},
		{"Names in the address book", i.count["book"]},
	}
}

// notes say what becomes of what comes in.
func (i *importer) notes() (notes []string) {
	note := func(n int, one, many string) {
		if n == 1 {
			notes = append(notes, one)
		} else if n > 1 {
			notes = append(notes, fmt.Sprintf(many, n))
		}
	}
	note(i.ended, "One review was unfinished: it arrives expired. Nothing of it can be signed.",
		"%d reviews were unfinished: they arrive expired. Nothing of them can be signed.")
	note(i.unknown, "One review was handed to a wallet and its result was not known: it arrives expired. Look in your wallet what became of it.",
		"%d reviews were handed to a wallet and their results were not known: they arrive expired. Look in your wallet what became of them.")
	note(i.awaiting, "One review is signed: its result is read from the chain.", "%d reviews are signed: their results are read from the chain.")
	if i.head.Active != nil || i.count["accounts"] > 0 {
		notes = append(notes, "Accounts arrive as told by the copy: none of them counts as proven.")
	}
	return notes
}

// begin judges the head of a backup. Its network comes first: all else would be
// about another chain.
func (i *importer) begin(h Head) error {
	if h.Network != i.network {
		return fault.New(fault.NetworkMismatch, "This copy is of %s; this program works on %s. Nothing was changed.",
			fault.Clip(h.Network, 40), i.network).With("import", "network")
	}
	if !i.past(h.CreatedAt) {
		return damaged(bad("It is %s.", someday), "createdAt")
	}
	if err := h.Settings.Check(); err != nil {
		return damaged(err, "settings")
	}
	if u := h.Active; u != nil {
		if u.Account.IsZero() || !i.past(u.ConnectedAt) || !validWallet(u.Chain, u.WalletName, u.WalletID) {
			return damaged(bad("The account in use is not a whole record."), "activeAccount")
		}
		i.own = append(i.own, u.Account)
		if err := i.search("activeAccount", "the account in use", "wallet", wallet{Name: u.WalletName, ID: u.WalletID}); err != nil {
			return err
		}
	}
	i.head = h
	return nil
}

// account judges an account, whose private key no text behind it may hold. It
// arrives as claimed: a backup carries no proof.
func (i *importer) account(v Account) error {
	if v.Account.IsZero() || i.twice("accounts", v.Account.String()) || !validWallet(v.Chain, v.WalletName, v.WalletID) ||
		!i.past(v.FirstConnectedAt, v.LastConnectedAt) {
		return bad("The account %s is not a whole record, or is there twice.", v.Account)
	}
	if len(i.own) < mostOwn {
		i.own = append(i.own, v.Account)
	}
	return i.search("accounts", "the account "+v.Account.String(), "wallet", wallet{Name: v.WalletName, ID: v.WalletID})
}

// name judges an entry of the address book. It arrives unconfirmed: only a payment that
// was signed on this machine confirms an address.
func (i *importer) name(v Name) error {
	e, refused := book.New(v.Title, v.Address, v.Chain)
	if refused != "" || e.Address != v.Address || e.Chain != v.Chain || !book.IsID(v.ID) || i.twice("book", v.ID) ||
		!i.past(v.CreatedAt) || i.count["book"] > book.MostEntries {
		return bad("The entry %q is not a whole record, is there twice, or is one too many.", fault.Clip(v.ID, 40))
	}
	return i.search("book", "the entry "+v.ID, "entry", v)
}

// ownName judges a name of an own account.
func (i *importer) ownName(v OwnName) error {
	e, refused := book.New(v.Title, v.Address, book.SuiChain)
	if refused != "" || e.Address != v.Address || i.twice("ownNames", v.Address) || i.count["ownNames"] > mostOwn {
		return bad("The name of the account %q is not a whole record, or is there twice.", fault.Clip(v.Address, 70))
	}
	return i.search("ownNames", "the account "+v.Address, "account", v)
}

// identity ends a connect session that was unfinished: its link is gone.
func (i *importer) identity(v *Identity) error {
	status := account.IdentityStatus(v.Status)
	known := slices.Contains([]account.IdentityStatus{account.Pending, account.Opened, account.Connecting, account.Connected,
		account.Rejected, account.Failed, account.Expired}, status)
	if i.twice("identities", v.ID) || !known || !validID(v.ID) || !validWallet(v.Chain, v.WalletName, v.WalletID) ||
		!validText(v.FailureReason, 100) || !validText(v.FailureDetail, 5000) || !i.past(v.CreatedAt, v.UpdatedAt) ||
		(status == account.Connected) != (v.Account != nil) {
		return bad("The connect session %q is not a whole record, or is there twice.", fault.Clip(v.ID, 40))
	}
	if !status.Terminal() {
		v.Status = string(account.Expired)
	}
	return i.search("identities", "the connect session "+v.ID, "wallet",
		wallet{Name: v.WalletName, ID: v.WalletID, Reason: v.FailureReason, Detail: v.FailureDetail})
}

// review turns a review into what it may be on a machine that holds no bytes of
// it: finished as it was, signed and awaited where its digest names what the
// chain is asked for, else expired.
func (i *importer) review(s *record.Session) error {
	if err := i.checkReview(*s); err != nil {
		return err
	}
	if i.twice("reviews", string(s.ID)) {
		return bad("The id %s is there twice.", s.ID)
	}
	what := "the review " + string(s.ID)
	if err := i.search("reviews", what, "wallet", wallet{Name: s.WalletName, ID: s.WalletID}); err != nil {
		return err
	}
	if err := i.search("reviews", what, "intent", s.Intent); err != nil {
		return err
	}
	if s.Proposal != nil {
		if err := i.search("reviews", what, "proposal", *s.Proposal); err != nil {
			return err
		}
	}
	// The pages of the original are elsewhere: nobody may act with their nonces.
	before := s.Status
	*s = bare(Review{*s}).Session
	switch {
	case before.Terminal():
	// The watcher asks the chain for it, so it must be what was released.
	case before == record.SignedPendingResult && digestKnown(*s):
		i.awaiting++
	default:
		// A wallet may have signed what it was handed; only the person can look.
		if len(s.Outstanding()) > 0 {
			i.unknown++
		} else {
			i.ended++
		}
		end(s, i.now)
	}
	i.marks = append(i.marks, Entry{Kind: events.Review, Subject: string(s.ID), From: string(before), To: string(s.Status),
		Revision: s.Revision, What: imported, At: i.now})
	return nil
}

// end expires a review and takes from it what a page could act on. Its revision
// rises, so that no page of the original is at the present one.
func end(s *record.Session, now time.Time) {
	s.Status, s.Reason = record.Expired, ""
	s.Commitment, s.BuiltAt, s.BuildExpiresAt = "", time.Time{}, time.Time{}
	s.State.Contract, s.State.Visualization, s.Execution = nil, nil, nil
	s.Revision++
	s.UpdatedAt = now
}

// search refuses a backup with a text that holds what looks like a secret. This
// program never takes one in, so somebody changed the backup. what names the row.
func (i *importer) search(list, what, name string, document any) error {
	if i.again {
		return nil
	}
	found, ok := screen.Find(name, document, i.own)
	if !ok {
		return nil
	}
	return fault.New(fault.InputInvalid, "In row %d of %s, %s, %s holds what looks like %s. This program never takes that in, so "+
		"somebody changed this copy. Nothing was changed, and nothing of the text was kept or shown. If the secret is yours, move what it guards to a new key.",
		i.count[list], list, what, found.Path, found.Class.Words()).
		With("import", "secret").With("field", found.Path).With("row", strconv.Itoa(i.count[list])).With("class", string(found.Class))
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
func digestKnown(s record.Session) bool {
	if s.Execution == nil || s.Execution.Status != record.SignedPendingResult {
		return false
	}
	d, err := sui.ParseDigest(s.Execution.TxDigest)
	return err == nil && s.Released(d) != nil && !s.Released(d).Dead && s.ChainID != ""
}

// bad is what is wrong with a row; the caller adds where it stands.
func bad(format string, args ...any) error { return fault.New(fault.InputInvalid, format, args...) }

// checkReview judges a review alone. What the store checks of each row that it
// reads is checked here too: a row that could not be read back must not come in.
func (i *importer) checkReview(s record.Session) error {
	switch {
	case !validID(string(s.ID)):
		return bad("A review has no sound id.")
	case s.Network != i.network:
		return bad("The review %s is of another network.", s.ID)
	case !slices.Contains(record.Statuses(), s.Status):
		return bad("The review %s has a status that does not exist.", s.ID)
	case s.Reason != "" && record.StatusOf(s.Reason) == "":
		return bad("The review %s has a reason that does not exist.", s.ID)
	case s.Account.IsZero() && s.Proposal == nil || s.Revision < 0 || s.Revision > 1<<40:
		return bad("The review %s names no account, or a revision that cannot be.", s.ID)
	case !validText(s.Protocol, 60) || !validText(s.Action, 60) || !validWallet("", s.WalletName, s.WalletID):
		return bad("The review %s has a text that is not one.", s.ID)
	case s.Commitment != "" && !hexadecimal(s.Commitment, 64):
		return bad("The review %s has a commitment that is none.", s.ID)
	case s.ChainID != "" && !isDigest(s.ChainID):
		return bad("The review %s names a chain that is none.", s.ID)
	case !i.past(s.CreatedAt, s.UpdatedAt, s.ExpiresAt):
		return bad("The review %s lacks a time, or has one that is "+someday+".", s.ID)
	}
	if what := s.CheckStored(); what != "" {
		return bad("The review %s is no whole record: %s.", s.ID, what)
	}
	if s.Proposal != nil && s.Proposal.Check(i.network) != nil {
		return bad("The review %s is of a proposal that is none.", s.ID)
	}
	ended := s.Execution != nil && s.Execution.Status == s.Status
	if (s.Status == record.Success || s.Status == record.SignedPendingResult) && !ended {
		return bad("The review %s says %s and nothing about a transaction.", s.ID, s.Status)
	}
	// Releases count towards the limits of a day by their times, and the chain is
	// asked for their digests.
	seen := map[sui.Digest]bool{}
	for _, r := range s.Releases {
		if r.Digest.IsZero() || seen[r.Digest] || !hexadecimal(r.Commitment, 64) || !validText(r.Outcome, 60) ||
			!i.past(r.At) || r.SignedAt.After(i.latest()) || r.SubmittedAt.After(i.latest()) {
			return bad("The review %s has a release that is not a whole record, or is there twice.", s.ID)
		}
		seen[r.Digest] = true
	}
	return nil
}

// coin judges the description of a coin. Its symbol and name are text of unknown
// authors, as they are where a chain is asked; pages clean them.
func (i *importer) coin(c Coin) error {
	canonical, err := sui.ParseCoinType(string(c.CoinType))
	if err != nil || canonical != c.CoinType || c.Chain.IsZero() || i.twice("coins", c.Chain.String(), string(c.CoinType)) ||
		!validText(c.Symbol, 2000) || !validText(c.Name, 2000) || c.CheckedAt.After(i.latest()) {
		return bad("The description of %q is not a whole record, or is there twice.", fault.Clip(string(c.CoinType), 100))
	}
	return nil
}

// entry judges a journal row alone: what it is about may be gone.
func (i *importer) entry(e Entry) error {
	if strings.Trim(string(e.Kind), "abcdefghijklmnopqrstuvwxyz_") != "" || e.Kind == "" || len(e.Kind) > 40 ||
		!validText(e.Subject, 100) || !validText(e.From, 100) || !validText(e.To, 100) || !validText(e.What, 200) || e.Revision < 0 || !i.past(e.At) {
		return bad("Row %d is not a whole record.", i.count["journal"])
	}
	return nil
}

// validText reports whether a text is at most so many bytes and holds no character
// that ends a text early.
func validText(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

// validWallet reports whether what a row says of a wallet is text.
func validWallet(chain, name, id string) bool {
	return validText(chain, 40) && validText(name, 2000) && validText(id, 2000)
}

// validID reports whether an id is one that a path and a page can carry.
func validID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return id != "" && len(id) <= 64 && strings.Trim(id, letters) == ""
}

// latest is the last time that a backup may name: clocks of two machines differ.
// What is beyond it would stand first in every list, and count towards the
// limits of 24 hours, for ever.
func (i *importer) latest() time.Time { return i.now.Add(24 * time.Hour) }

const someday = "more than a day ahead of this computer's clock"

// past reports whether all times are there and not beyond the latest.
func (i *importer) past(times ...time.Time) bool {
	return !slices.ContainsFunc(times, func(t time.Time) bool { return t.IsZero() || !t.Before(i.latest()) })
}

// hexadecimal reports whether a text is n hexadecimal digits.
func hexadecimal(s string, n int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == n
}

// isDigest reports whether a text is a digest, and not that of nothing.
func isDigest(s string) bool {
	d, err := sui.ParseDigest(s)
	return err == nil && !d.IsZero()
}
