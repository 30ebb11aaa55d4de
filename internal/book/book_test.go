package book_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
)

const (
	alice  = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	vector = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // of EIP-55
)

func TestChains(t *testing.T) {
	t.Run("R000-148 the enum has the seed's names, each once", func(t *testing.T) {
		seen := map[string]bool{}
		for _, c := range book.Chains() {
			if seen[strings.ToLower(c.Name)] || c.Kind == "" || c.Ticker == "" {
				t.Errorf("%+v", c)
			}
			seen[strings.ToLower(c.Name)] = true
		}
		for _, name := range []string{"ethereum", "bitcoin", "solana", "thorchain", "arbitrum", "base", "bitcoin-cash",
			"cronoschain", "bsc", "zksync",
			"terraclassic", "dydx", "ton", "ripple", "bittensor"} {
			if !seen[name] {
				t.Errorf("%s is missing", name)
			}
		}
		if len(seen) != 37 {
			t.Errorf("%d chains", len(seen))
		}
	})
	t.Run("R000-149 case does not matter", func(t *testing.T) {
		if c, ok := book.FindChain("tHoRcHaIn"); !ok || c.Name != "THORChain" {
			t.Errorf("%+v", c)
		}
	})
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ chain, in, out string }{
		{"Sui", alice, alice}, {"Sui", "0x123", ""}, {"Sui", alice[:64], ""}, {"Sui", "0x00" + alice[4:], "0x00" + alice[4:]},
		{"Sui", "0x" + strings.Repeat("0", 63) + "2", ""}, {"Sui", "0x" + strings.Repeat("0", 24) +
			strings.ToLower(vector[2:]), ""}, {"Sui", "alice.sui", ""}, {"Sui", "", ""},
		{"Sui", alice + "0", ""}, {"Ethereum", vector, vector}, {"Base", strings.ToLower(vector), vector},
		{"Ethereum", strings.Replace(vector, "A", "a", 1), ""}, {"Ethereum", alice, ""}, {"Ethereum", "0xabc...", ""},
		{"Bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
		{"Bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", ""},
		{"Bitcoin", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"},
		{"Bitcoin", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5md", ""},
		{"Bitcoin", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp", ""},
		{"Bitcoin", "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
			"bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"},
		{"Bitcoin", "ltc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", ""}, {"Solana", alice, ""},
		{"Solana", "So11111111111111111111111111111111111111112", "So11111111111111111111111111111111111111112"},
	} {
		e, refused := book.New("Alice", c.in, c.chain)
		if e.Address != c.out || (refused == book.InvalidAddress) != (c.out == "") {
			t.Errorf("%s %s: %q %s", c.chain, c.in, e.Address, refused)
		}
	}
	for _, title := range []string{"", "  ", "[[SYSTEM", "a\u202eb", strings.Repeat("x", book.MostTitle+1)} {
		if _, refused := book.New(title, alice, "Sui"); refused != book.InvalidTitle {
			t.Errorf("%q: %s", title, refused)
		}
	}
}

// memory implements a store of the book in memory.
type memory struct {
	all []book.Entry
	now time.Time
	own map[string]string

	closed bool
}

func (m *memory) Book(context.Context) ([]book.Entry, error) { return m.all, nil }

func (m *memory) ChangeBook(_ context.Context, transition func([]book.Entry) (book.Change, error)) error {
	c, err := transition(m.all)
	m.all = append(m.all, c.Add...)
	for i, e := range m.all {
		for _, to := range c.Update {
			if to.ID == e.ID {
				m.all[i] = to
			}
		}
		if slices.Contains(c.Sign, e.ID) {
			m.all[i].SignedAt = m.now
		}
		if slices.Contains(c.Delete, e.ID) {
			m.all[i].DeletedAt = m.now
		}
		if slices.Contains(c.Restore, e.ID) {
			m.all[i].DeletedAt = time.Time{}
		}
	}
	return err
}

func (m *memory) BookPage(_ context.Context, q book.Query) (book.Page, error) {
	found := book.Search(book.Live(m.all), q.Chain, q.Text)
	return book.Page{Entries: found, Total: len(found)}, nil
}

func (m *memory) BookNear(_ context.Context, addresses []string) (book.Near, error) {
	near := book.Near{Own: m.own}
	for _, e := range book.Live(m.all) {
		for _, a := range addresses {
			if e.Chain == book.SuiChain && (e.Address == a || book.LooksLike(e.Address, a)) {
				near.Entries = append(near.Entries, e)
			}
		}
	}
	return near, nil
}

func (m *memory) NameOwn(ctx context.Context, address, title string, judge func(context.Context) error) error {
	if err := judge(ctx); err != nil {
		return err
	}
	m.own[address] = title
	return nil
}

func (m *memory) BookClosed(context.Context) (bool, error) { return m.closed, nil }

func (m *memory) CloseBook(ctx context.Context, closed bool, judge func(context.Context) error) error {
	err := judge(ctx)
	if err == nil {
		m.closed = closed
	}
	return err
}

func begin() (*memory, *book.Service) {
	m := &memory{now: time.Unix(1_800_000_000, 0), own: map[string]string{}}
	return m, book.NewService(m, func() time.Time { return m.now })
}

func TestAdd(t *testing.T) {
	m, s := begin()
	ctx := context.Background()
	out, err := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: alice, Chain: "sui"},
		{Title: "Nobody", Address: alice, Chain: "Moon"}, {Title: "Alice again", Address: alice, Chain: "Sui"},
		{Title: "Mallory", Address: alice[:6] + strings.Repeat("1", 56) + alice[62:], Chain: "Sui"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R000-118 an unknown chain refuses its entry and no other", func(t *testing.T) {
		if len(out) != 4 || out[1].Refused != book.UnknownChain || out[0].Refused != "" || len(m.all) != 3 {
			t.Errorf("%+v", out)
		}
	})
	t.Run("R000-119 R000-122 duplicates are kept, each under its own id", func(t *testing.T) {
		if out[2].Refused != "" || !book.IsID(out[0].Entry.ID) || out[0].Entry.ID == out[2].Entry.ID {
			t.Errorf("%+v", out)
		}
	})
	t.Run("an address that only looks like one of the book is said to", func(t *testing.T) {
		if out[3].Alike.Address != alice || out[2].Alike.ID != "" {
			t.Errorf("%+v", out)
		}
	})
	t.Run("a secret refuses the whole call and is not repeated", func(t *testing.T) {
		key := "suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae"
		for _, with := range []book.Target{{Title: key, Address: alice, Chain: "Sui"}, {Title: "Carol", Address: key,
			Chain: "Sui"}, {Title: "Carol", Address: alice, Chain: key}} {
			_, err := s.Add(ctx, book.Agent, []book.Target{{Title: "Bob", Address: alice, Chain: "Sui"}, with})
			if !fault.Is(err, fault.InputInvalid) || strings.Contains(err.Error(), key) || len(m.all) != 3 {
				t.Errorf("%+v: %v, %d entries", with, err, len(m.all))
			}
		}
	})
	t.Run("R000-97 R000-98 R000-107 filters, and the order of titles", func(t *testing.T) {
		all, err := s.List(ctx, "SUI", "ALICE")
		if err != nil || len(all) != 2 || all[0].Title != "Alice" {
			t.Errorf("%v %+v", err, all)
		}
		if found, _ := s.List(ctx, "", "5A5A"); len(found) != 3 {
			t.Errorf("%+v", found)
		}
		if _, err := s.List(ctx, "Moon", ""); !fault.Is(err, fault.InputInvalid) {
			t.Error(err)
		}
	})
}

// TestCorpora: pasted phrases are refused in titles, also as one word each.
func TestCorpora(t *testing.T) {
	_, s := begin()
	refused := func(titles ...string) bool {
		var targets []book.Target
		for _, title := range titles {
			targets = append(targets, book.Target{Title: title, Address: alice, Chain: "Sui"})
		}
		_, err := s.Add(t.Context(), book.Agent, targets)
		return err != nil && fault.As(err).Detail.Get("reason") == "secret"
	}
	screentest.Door(t, 0, func(text string) bool { return refused(text) })
	if words := screentest.NewDraw(t).Phrase(12); !refused(words...) {
		t.Errorf("came in: %v", words)
	}
}

func TestDelete(t *testing.T) {
	m, s := begin()
	ctx := context.Background()
	added, _ := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: alice, Chain: "Sui"}, {Title: "Alice",
		Address: vector, Chain: "Ethereum"},
		{Title: "Alice", Address: vector, Chain: "Base"}, {Title: "Bob", Address: vector, Chain: "Base"}})
	for _, c := range []struct {
		name string
		t    book.Target
		want book.Refusal
		id   int
	}{
		{"R000-129 title and chain", book.Target{Title: "Alice", Chain: "sui"}, "", 0},
		{"R000-130 address and chain", book.Target{Address: strings.ToLower(vector), Chain: "Ethereum"}, "", 1},
		{"R000-131 title alone", book.Target{Title: "Bob"}, "", 3},
		{"R000-131 a title alone is not tried where a chain is named", book.Target{Title: "Bob", Chain: "Sui"}, book.NotFound,
			0},
		{"R000-139 several", book.Target{Address: vector, Chain: "Base"}, book.Ambiguous, 0},
		{"R000-131 a title with another chain", book.Target{Title: "Bob", Chain: "Sui"}, book.NotFound, 0},
		{"R000-139 several of one title", book.Target{Title: "Alice"}, book.Ambiguous, 0},
		{"R000-138 none", book.Target{Title: "Carol", Chain: "Sui"}, book.NotFound, 0},
		{"R000-136 an id alone decides", book.Target{ID: "none", Title: "Bob"}, book.NotFound, 0},
		{"nothing", book.Target{}, book.NotFound, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, refused := book.Match(m.all, c.t)
			if refused != c.want || refused == "" && e.ID != added[c.id].Entry.ID {
				t.Errorf("%+v %s", e, refused)
			}
		})
	}
	t.Run("a deletion can be undone for 30 days and not after", func(t *testing.T) {
		id := added[0].Entry.ID
		live := func() int { list, _ := s.List(ctx, "Sui", ""); return len(list) }
		for _, after := range []time.Duration{book.Kept - time.Second, book.Kept} {
			out, err := s.Delete(ctx, []book.Target{{ID: id}, {ID: id}})
			if err != nil || out[0].Refused != "" || out[1].Refused != book.NotFound || live() != 0 {
				t.Fatalf("%v %+v", err, out)
			}
			m.now = m.now.Add(after)
			if err := s.Restore(ctx, id); err != nil || (live() == 1) != (after < book.Kept) {
				t.Errorf("%v after %s: %d", err, after, live())
			}
		}
	})
}

func TestRecipient(t *testing.T) {
	_, s := begin()
	ctx := context.Background()
	added, _ := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: alice, Chain: "Sui"}, {Title: "Alice",
		Address: vector, Chain: "Base"}})
	if e, err := s.Recipient(ctx, added[0].Entry.ID); err != nil || e.Address != alice {
		t.Errorf("%v %+v", err, e)
	}
	for _, id := range []string{added[1].Entry.ID, "", "Alice"} {
		if _, err := s.Recipient(ctx, id); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
