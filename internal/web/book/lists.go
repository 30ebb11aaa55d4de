package book

import (
	"context"
	"slices"
	"strings"
	"unicode"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// lists fills in the entries. Those that need the user come from the whole book, all others from
// one part of the search results.
func (p *page) lists(ctx context.Context, v *bookPageView) error {
	all, err := p.Names.List(ctx, "", "")
	if err != nil {
		return err
	}
	v.Total = len(all)
	if v.Searched() || slices.ContainsFunc(all, func(e names.Entry) bool { return e.Chain != names.SuiChain }) {
		v.Chains = chainOptions(v.Asked.Chain)
	}
	imitate, err := p.imitations(ctx, all)
	if err != nil {
		return err
	}
	var needs []names.Entry
	for _, e := range all {
		if _, alike := imitate[e.ID]; alike || e.Source == names.Agent && !e.Confirmed() {
			needs = append(needs, e)
		}
	}
	from := min(max(v.Asked.From, 0), names.MostEntries)
	found, err := p.Names.Find(ctx, names.Query{Chain: v.Asked.Chain, Text: v.Asked.Text, From: from, Most: bookPage})
	if err != nil {
		return err
	}
	waits := map[string]bool{}
	if !v.Searched() {
		needs = needs[:min(len(needs), maxNeeds)]
		for _, e := range needs {
			waits[e.ID] = true
		}
	} else {
		needs = nil
	}
	rest := slices.DeleteFunc(slices.Clone(found.Entries), func(e names.Entry) bool { return waits[e.ID] })
	if v.Needs, err = p.lines(ctx, needs, imitate); err != nil {
		return err
	}
	if v.Lines, err = p.lines(ctx, rest, imitate); err != nil {
		return err
	}
	for _, l := range slices.Concat(v.Needs, v.Lines) {
		//mutant:always `l.Alike == ""` ./review/web TestLookalikeInTheBook
		if !l.Sure && l.Alike == "" {
			v.Unsure++
		}
	}
	v.Count, v.Rest = words.Plural(found.Total, "name", "names"), found.Total-len(needs)
	if from > 0 {
		v.Earlier = max(from-bookPage, 0)
	}
	if next := from + len(found.Entries); len(found.Entries) > 0 && next < found.Total {
		v.Later = next
	}
	v.Deleted, err = p.deleted(ctx)
	return err
}

// deleted lists the entries that were deleted last.
func (p *page) deleted(ctx context.Context) (list []bookLine, err error) {
	gone, err := p.Names.Find(ctx, names.Query{Deleted: true, Most: bookDeleted})
	for _, e := range gone.Entries {
		line := lineOfEntry(e)
		line.Deleted = words.At(e.DeletedAt)
		list = append(list, line)
	}
	return list, err
}

// imitations returns the entries that look like another entry or like one of the user's accounts.
func (p *page) imitations(ctx context.Context, all []names.Entry) (map[string]names.Entry, error) {
	cards, err := p.Lists.Cards(ctx)
	if err != nil {
		return nil, err
	}
	own := map[string]string{}
	for _, k := range cards {
		own[k.Address] = "your own account"
	}
	return p.Names.Imitating(ctx, own, all...)
}

// lines formats entries, with the address that each imitates and how often it was paid.
func (p *page) lines(ctx context.Context, list []names.Entry, imitate map[string]names.Entry) ([]bookLine, error) {
	var out []bookLine
	var addresses []string
	for _, e := range list {
		addresses = append(addresses, e.Address)
	}
	paid, err := p.PaidNames.Payments(ctx, addresses)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		line := lineOfEntry(e)
		if times, ok := paid[e.Address]; ok && e.Chain == names.SuiChain {
			line.State = listing.PaidWords(times)
		}
		if of, alike := imitate[e.ID]; alike {
			line.Alike, line.AlikeOf = of.Address, words.Whole(of.Title)
		}
		out = append(out, line)
	}
	return out, nil
}

// lineOfEntry formats an entry: who named it, and what confirms it.
func lineOfEntry(e names.Entry) bookLine {
	l := bookLine{ID: e.ID, Title: words.Whole(e.Title), Address: e.Address, Chain: e.Chain, Sure: e.Confirmed(),
		Chains: chainOptions(e.Chain), State: "never paid",
		Proof: "Not confirmed: no payment to it was made from here."}
	switch {
	case e.Paid:
		l.Proof = "Confirmed: you paid this address from here."
	case e.Confirmed():
		l.Proof = "Confirmed: your wallet signed that this name is of this address."
	}
	switch {
	case e.Source == names.Agent && !e.SignedAt.IsZero():
		l.By, l.Tone = "Named by "+clientWords(e.NamedBy)+", confirmed by your wallet", "accent"
	case e.Source == names.Agent:
		l.By, l.Tone = "Named by "+clientWords(e.NamedBy), "warn"
	case e.Source == names.Import:
		l.By, l.Tone = "From a backup", "info"
	default:
		l.By, l.Tone = "Named by you", "accent"
	}
	return l
}

// clientWords returns the name of an AI client for display. Clients choose their own names, so the
// result is never "you", and a name with unusual characters is quoted.
func clientWords(name string) string {
	const most = 40
	name = words.Shown(strings.TrimSpace(name), most)
	switch {
	case name == "" || strings.EqualFold(name, "you"):
		return "your AI client"
	case strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }):
		return "“" + name + "”"
	}
	return name
}

func (p *page) ownLines(ctx context.Context) ([]ownLine, error) {
	cards, err := p.Lists.Cards(ctx)
	if err != nil || len(cards) == 0 {
		return nil, err
	}
	naming, err := p.Names.Naming(ctx, cards[0].Address)
	var out []ownLine
	for _, k := range cards {
		out = append(out, ownLine{k.Address, k.Wallet, naming.Own()[k.Address], k.InUse, k.Proven})
	}
	return out, err
}
