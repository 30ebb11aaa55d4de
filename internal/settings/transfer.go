package settings

import (
	"bytes"
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
	"github.com/sayurintent/sayurintent/internal/policy"
)

// staged is a copy that was read and judged, waiting for the person: the file
// as it was uploaded, which is read again when it is put in.
type staged struct {
	id     string
	page   string
	until  time.Time
	file   []byte
	head   Head
	now    time.Time
	before Present
}

// stagedLife is how long a copy that was looked at can be put in.
const stagedLife = 10 * time.Minute

// Preview is what putting a copy in would do.
type Preview struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	Holds     []Count   `json:"holds"`
	// Endpoints, Limits and Accounts are asked for separately.
	Endpoints []policy.Change `json:"endpoints"`
	Limits    []policy.Change `json:"limits"`
	Accounts  []policy.Change `json:"accounts"`
	// Notes say what the person has to know besides.
	Notes []string `json:"notes"`
}

// Stage reads and judges a copy, packed with gzip or not, and keeps the file for
// Import; nothing is changed.
func (s *Service) Stage(ctx context.Context, page string, in io.Reader) (Preview, error) {
	s.drop() // the last one makes room before this one is read
	file, err := held(in)
	if err != nil {
		return Preview{}, err
	}
	present, err := s.c.Records.Present(ctx)
	if err != nil {
		return Preview{}, err
	}
	a := s.newArrival(present)
	if err := a.read(ctx, bytes.NewReader(file), Visit{}); err != nil {
		return Preview{}, err
	}
	if err := settled(present); err != nil {
		return Preview{}, err
	}
	sum := sha256.Sum256(file)
	id, err := confirmation("import "+hex.EncodeToString(sum[:]), present.Settings, present.Active)
	if err != nil {
		return Preview{}, err
	}
	s.mu.Lock()
	s.staged = &staged{id: id, page: page, until: a.now.Add(stagedLife), file: file, head: a.head, now: a.now, before: present}
	s.mu.Unlock()
	return s.preview(id, a, present), nil
}

func (s *Service) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.staged = nil
}

func (s *Service) preview(id string, a *arrival, present Present) Preview {
	h := a.head
	p := Preview{ID: id, CreatedAt: h.CreatedAt, Holds: a.counts(), Limits: policy.Differences(present.Settings.Allowance, h.Settings.Allowance)}
	for _, w := range []Which{GRPC, GraphQL} {
		old, now := *present.Settings.endpoint(w), *h.Settings.endpoint(w)
		if old != now {
			p.Endpoints = append(p.Endpoints, policy.Change{Name: strings.ToUpper(w.name()[:1]) + w.name()[1:],
				Old: orDefault(old), New: orDefault(now), Looser: now != ""})
		}
	}
	if old, now := inUse(present.Active), inUse(h.Active); old != now {
		p.Accounts = append(p.Accounts, policy.Change{Name: "Account in use", Old: old, New: now, Looser: now != nobody})
	}
	p.Notes = a.notes()
	if len(present.Settings.Allowance.PerDay)+len(h.Settings.Allowance.PerDay) > 0 {
		p.Notes = append(p.Notes, "Limits of 24 hours go on counting what was handed to a wallet here in the last 24 hours, and count besides what the copy says.")
	}
	return p
}

// notes say what becomes of what comes in.
func (a *arrival) notes() (notes []string) {
	note := func(n int, one, many string) {
		if n == 1 {
			notes = append(notes, one)
		} else if n > 1 {
			notes = append(notes, fmt.Sprintf(many, n))
		}
	}
	note(a.ended, "One review was unfinished: it arrives expired. Nothing of it can be signed.",
		"%d reviews were unfinished: they arrive expired. Nothing of them can be signed.")
	note(a.unknown, "One review was handed to a wallet and its result was not known: it arrives expired. Look in your wallet what became of it.",
		"%d reviews were handed to a wallet and their results were not known: they arrive expired. Look in your wallet what became of them.")
	note(a.awaiting, "One review is signed: its result is read from the chain.", "%d reviews are signed: their results are read from the chain.")
	if a.head.Active != nil || a.count["accounts"] > 0 {
		notes = append(notes, "Accounts arrive as told by the copy: none of them counts as proven.")
	}
	return notes
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
func (s *Service) Import(ctx context.Context, page string, c Choice, rights ...Right) (Outcome, error) {
	s.mu.Lock()
	st := s.staged
	s.mu.Unlock()
	if st == nil || st.id != c.ID || st.page != page || !s.c.Now().Before(st.until) {
		return Outcome{}, fault.New(fault.InvalidSessionTransition,
			"The copy that was looked at is not at hand any more. Choose the file again; nothing was changed.")
	}
	if c.Endpoints {
		for _, w := range []Which{GRPC, GraphQL} {
			url := *st.head.Settings.endpoint(w)
			if url == "" || url == *st.before.Settings.endpoint(w) {
				continue
			}
			if _, _, err := s.examine(ctx, w, url); err != nil {
				return Outcome{}, err
			}
		}
	}
	err := s.c.Records.Replace(ctx, page, func(p Present) (Replacement, error) {
		if err := still(ctx, rights); err != nil {
			return Replacement{}, err
		}
		return st.law(p, c)
	})
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
	r := Replacement{Settings: st.head.Settings, Active: st.head.Active, WithAccounts: c.Accounts,
		Rows: func(ctx context.Context, to Visit) error { return st.rows(ctx, to, c.Accounts) }}
	if !c.Endpoints {
		r.Settings.GRPC, r.Settings.GraphQL = p.Settings.GRPC, p.Settings.GraphQL
	}
	if !c.Limits {
		r.Settings.Allowance = p.Settings.Allowance
	}
	if !c.Accounts {
		r.Active = nil
	}
	return r, nil
}

// rows reads the file once more, and gives what comes in. It was searched when
// it was looked at, and is the same bytes.
func (st *staged) rows(ctx context.Context, to Visit, accounts bool) error {
	if !accounts {
		entry := to.Entry
		to.Account, to.Identity = nil, nil
		to.Entry = func(e Entry) error {
			if e.Kind == events.Identity || e.Kind == events.Account {
				return nil
			}
			return entry(e)
		}
	}
	a := emptyArrival(st.head.Network, st.now)
	a.again = true
	return a.read(ctx, bytes.NewReader(st.file), to)
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
func (s *Service) Reset(ctx context.Context, page, typed string, rights ...Right) (Outcome, error) {
	words, named, _ := strings.Cut(typed, ":")
	if !strings.EqualFold(strings.TrimSpace(words), ResetWords) {
		return Outcome{}, fault.New(fault.InputInvalid, "To forget everything, type the words: %s.", ResetWords).With("field", "reset")
	}
	s.drop()
	law := givenUp(named)
	err := s.c.Records.Erase(ctx, page, func(p Present) error {
		if err := still(ctx, rights); err != nil {
			return err
		}
		return law(p)
	})
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Done: true, Says: "All local data is forgotten, your limits too. Links and pages that were open have ended. " +
		"Addresses are back at their defaults when Say Ur Intent is started again."}, nil
}
