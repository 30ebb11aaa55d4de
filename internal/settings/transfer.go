package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review"
)

// Visit gets everything that a copy holds, in the order of its members.
type Visit struct {
	Settings func(Stored, *Active) error
	Account  func(Account) error
	Identity func(Identity) error
	Review   func(review.Session) error
	Coin     func(CoinWord) error
	Entry    func(Entry) error
}

// Present is what a law about all data judges by.
type Present struct {
	Settings  Stored
	Active    *Active
	Unsettled []review.ID // reviews with a release whose result is not known
}

// Replacement is what all data is replaced by. Without WithAccounts the account
// in use, the remembered ones, the connect sessions and their journal stay.
type Replacement struct {
	Document
	WithAccounts bool
}

// Records are all local data as a whole. The page named by an id is the
// settings page that asks: its right outlives the change, every other link and
// pass ends with it.
type Records interface {
	// Walk gives one state of all data to the visitor, row by row. An error of
	// the visitor ends the walk and is returned as it is.
	Walk(ctx context.Context, v Visit) error
	// Present gives what laws judge by.
	Present(ctx context.Context) (Present, error)
	// Replace lets law judge what is present and puts its result in the place of
	// everything, in one write transaction. An error of law changes nothing.
	Replace(ctx context.Context, page string, law func(Present) (Replacement, error)) error
	// Erase forgets everything once law has agreed, in one write transaction.
	Erase(ctx context.Context, page string, law func(Present) error) error
}

// Export writes a copy of all local data, row by row. A copy that an error cut
// off lacks its last member, so that nothing takes it for whole.
func (s *Service) Export(ctx context.Context, out func([]byte) error) error {
	w := &writer{out: out}
	open := ""
	section := func(name string) {
		if open != "" {
			w.end()
		}
		open = name
		w.begin(name)
	}
	lists := []string{"accounts", "identities", "reviews", "coins", "journal"}
	in := func(name string) {
		for open != name {
			section(lists[slices.Index(lists, open)+1])
		}
	}
	err := s.c.Records.Walk(ctx, Visit{
		Settings: func(stored Stored, active *Active) error {
			w.raw(fmt.Sprintf("{\"format\":%q,\"version\":%d,\n", format, version))
			w.raw(`"network":` + string(encoded(s.c.Network)) + `,"createdAt":` + string(encoded(s.c.Now().UTC())) + ",\n")
			w.raw(`"settings":` + string(encoded(stored)) + ",\n" + `"activeAccount":` + string(encoded(active)))
			return w.err
		},
		Account:  func(v Account) error { in("accounts"); return w.row(encoded(v)) },
		Identity: func(v Identity) error { in("identities"); return w.row(encoded(v)) },
		Review:   func(v review.Session) error { in("reviews"); return w.row(encoded(bare(v))) },
		Coin:     func(v CoinWord) error { in("coins"); return w.row(encoded(v)) },
		Entry:    func(v Entry) error { in("journal"); return w.row(encoded(v)) },
	})
	if err != nil {
		return err
	}
	in("journal")
	w.end()
	w.raw(fmt.Sprintf(",\n\"rows\":%d}\n", w.n))
	return w.err
}

// staged is a copy that was read and judged, waiting for the person.
type staged struct {
	id       string
	page     string
	until    time.Time
	document Document
	arrivals arrivals
	before   Present
}

// stagedLife is how long a copy that was looked at can be put in.
const stagedLife = 10 * time.Minute

// Preview is what putting a copy in would do.
type Preview struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	Holds     []Count   `json:"holds"`
	// Endpoints, Limits and Accounts are asked for separately.
	Endpoints []Change `json:"endpoints"`
	Limits    []Change `json:"limits"`
	Accounts  []Change `json:"accounts"`
	// Notes say what the person has to know besides.
	Notes []string `json:"notes"`
}

// Stage reads and judges a copy and keeps it for Import; nothing is changed.
func (s *Service) Stage(ctx context.Context, page string, in io.Reader) (Preview, error) {
	return s.StageUpTo(ctx, page, in, MostImport)
}

// StageUpTo is Stage with a bound of its own, in bytes.
func (s *Service) StageUpTo(ctx context.Context, page string, in io.Reader, most int64) (Preview, error) {
	s.drop() // the last one makes room before this one is read
	sum := sha256.New()
	document, err := Decode(io.TeeReader(in, sum), most)
	if err != nil {
		return Preview{}, err
	}
	now := s.c.Now().UTC()
	arriving, err := arrive(&document, s.c.Network, now)
	if err != nil {
		return Preview{}, err
	}
	present, err := s.c.Records.Present(ctx)
	if err != nil {
		return Preview{}, err
	}
	if err := settled(present); err != nil {
		return Preview{}, err
	}
	id, err := confirmation("import "+hex.EncodeToString(sum.Sum(nil)), present.Settings, present.Active)
	if err != nil {
		return Preview{}, err
	}
	s.mu.Lock()
	s.staged = &staged{id: id, page: page, until: now.Add(stagedLife), document: document, arrivals: arriving, before: present}
	s.mu.Unlock()
	return s.preview(id, document, arriving, present), nil
}

func (s *Service) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.staged = nil
}

func (s *Service) preview(id string, d Document, a arrivals, present Present) Preview {
	p := Preview{ID: id, CreatedAt: d.CreatedAt, Holds: d.counts(), Limits: s.differences(present.Settings.Allowance, d.Settings.Allowance)}
	for _, w := range []Which{GRPC, GraphQL} {
		old, now := *present.Settings.endpoint(w), *d.Settings.endpoint(w)
		if old != now {
			p.Endpoints = append(p.Endpoints, Change{Name: strings.ToUpper(w.name()[:1]) + w.name()[1:],
				Old: orDefault(old), New: orDefault(now), Looser: now != ""})
		}
	}
	if old, now := inUse(present.Active), inUse(d.Active); old != now {
		p.Accounts = append(p.Accounts, Change{Name: "Account in use", Old: old, New: now, Looser: now != nobody})
	}
	note := func(n int, one, many string) {
		if n == 1 {
			p.Notes = append(p.Notes, one)
		} else if n > 1 {
			p.Notes = append(p.Notes, fmt.Sprintf(many, n))
		}
	}
	note(a.ended, "One review was unfinished: it arrives expired. Nothing of it can be signed.",
		"%d reviews were unfinished: they arrive expired. Nothing of them can be signed.")
	note(a.unknown, "One review was handed to a wallet and its result was not known: it arrives expired. Look in your wallet what became of it.",
		"%d reviews were handed to a wallet and their results were not known: they arrive expired. Look in your wallet what became of them.")
	note(a.awaiting, "One review is signed: its result is read from the chain.", "%d reviews are signed: their results are read from the chain.")
	if d.Active != nil || len(d.Accounts) > 0 {
		p.Notes = append(p.Notes, "Accounts arrive as told by the copy: none of them counts as proven.")
	}
	if len(present.Settings.Allowance.PerDay)+len(d.Settings.Allowance.PerDay) > 0 {
		p.Notes = append(p.Notes, "Limits of 24 hours then count what the copy says was spent, not what was spent here today.")
	}
	return p
}

const nobody = "none"

func inUse(a *Active) string {
	if a == nil {
		return nobody
	}
	return a.Account.String()
}

func orDefault(url string) string {
	if url == "" {
		return "the default"
	}
	return url
}

// Choice is what the person agreed to. What is not agreed to stays as it is.
type Choice struct {
	ID        string `json:"id"`
	Endpoints bool   `json:"endpoints"`
	Limits    bool   `json:"limits"`
	Accounts  bool   `json:"accounts"`
}

// Import puts the staged copy in the place of all local data. It is refused,
// with nothing changed, when the copy was not looked at on this page within the
// last minutes, when settings changed since then, while a release is unsettled,
// and when a chosen address does not prove to be of this network.
func (s *Service) Import(ctx context.Context, page string, c Choice) (Outcome, error) {
	s.mu.Lock()
	st := s.staged
	s.mu.Unlock()
	if st == nil || st.id != c.ID || st.page != page || !s.c.Now().Before(st.until) {
		return Outcome{}, fault.New(fault.InvalidSessionTransition,
			"The copy that was looked at is not at hand any more. Choose the file again; nothing was changed.")
	}
	if c.Endpoints {
		for _, w := range []Which{GRPC, GraphQL} {
			url := *st.document.Settings.endpoint(w)
			if url == "" || url == *st.before.Settings.endpoint(w) {
				continue
			}
			if _, _, err := s.examine(ctx, w, url); err != nil {
				return Outcome{}, err
			}
		}
	}
	err := s.c.Records.Replace(ctx, page, func(p Present) (Replacement, error) { return st.law(p, c) })
	if err != nil {
		return Outcome{}, err
	}
	s.drop()
	says := "The copy took the place of all local data. Links and pages that were open have ended."
	if c.Endpoints {
		says += " Addresses take effect when Say Ur Intent is started again."
	}
	return Outcome{Done: true, Says: says}, nil
}

// law judges the copy against what is present inside the write transaction.
func (st *staged) law(p Present, c Choice) (Replacement, error) {
	if err := settled(p); err != nil {
		return Replacement{}, err
	}
	before, errBefore := confirmation("", st.before.Settings, st.before.Active)
	now, err := confirmation("", p.Settings, p.Active)
	if err != nil || errBefore != nil || before != now {
		return Replacement{}, movedOn()
	}
	r := Replacement{Document: st.document, WithAccounts: c.Accounts}
	if !c.Endpoints {
		r.Settings.GRPC, r.Settings.GraphQL = p.Settings.GRPC, p.Settings.GraphQL
	}
	if !c.Limits {
		r.Settings.Allowance = p.Settings.Allowance
	}
	if !c.Accounts {
		r.Active, r.Accounts, r.Identities = nil, nil, nil
		r.Journal = slices.DeleteFunc(slices.Clone(r.Journal), func(e Entry) bool {
			return e.Kind == events.Identity || e.Kind == events.Account
		})
	}
	return r, nil
}

// settled refuses to lose track of what a wallet may have signed.
func settled(p Present) error {
	if len(p.Unsettled) == 0 {
		return nil
	}
	var ids []string
	for _, id := range p.Unsettled {
		ids = append(ids, string(id))
	}
	return fault.New(fault.Blocked, "A transaction of %d of your reviews was handed to a wallet and its result is not known yet: %s. "+
		"Losing them could lose track of a signed transaction. Wait for their results, then try again. Nothing was changed.",
		len(ids), strings.Join(ids[:min(len(ids), 5)], ", ")).WithList("reviews", ids)
}

// givenUp is settled for a person who named every review whose result is not
// known: some results never become known, as where no node keeps the history.
func givenUp(named string) func(Present) error {
	return func(p Present) error {
		err := settled(p)
		if err == nil {
			return nil
		}
		given := strings.Fields(named)
		var ids []string
		missing := false
		for _, id := range p.Unsettled {
			ids = append(ids, string(id))
			missing = missing || !slices.Contains(given, string(id))
		}
		if !missing {
			return nil
		}
		known := fault.As(err)
		return fault.New(known.Code, "%s If their results can never be known, look in your wallet what became of them; "+
			"to forget them all the same, type: %s: %s", known.Text, ResetWords, strings.Join(ids, " ")).WithList("reviews", ids)
	}
}

// ResetWords is what a person types to have everything forgotten.
const ResetWords = "forget everything"

// Reset forgets all local data. typed must be ResetWords; it is refused, with
// nothing changed, while a release is unsettled, unless a colon and the id of
// every such review follow.
func (s *Service) Reset(ctx context.Context, page, typed string) (Outcome, error) {
	words, named, _ := strings.Cut(typed, ":")
	if !strings.EqualFold(strings.TrimSpace(words), ResetWords) {
		return Outcome{}, fault.New(fault.InputInvalid, "To forget everything, type the words: %s.", ResetWords).With("field", "reset")
	}
	s.drop()
	if err := s.c.Records.Erase(ctx, page, givenUp(named)); err != nil {
		return Outcome{}, err
	}
	return Outcome{Done: true, Says: "All local data is forgotten. Links and pages that were open have ended. " +
		"Addresses are back at their defaults when Say Ur Intent is started again."}, nil
}
