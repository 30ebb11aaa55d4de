package actions

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
)

// work is a validated action. prepare makes the queries that it needs and writes nothing. do makes
// the changes in the store and returns the data of the result.
type work struct {
	caller  *Caller // set before prepare; nil if the work does not depend on it
	prepare func(ctx context.Context, e *Executor) error
	do      func(ctx context.Context, e *Executor, tx Tx) (any, error)
}

type token struct {
	Chain    *string `json:"chain"`
	Ticker   *string `json:"ticker"`
	Contract *string `json:"contract_address"`
	Decimals *int64  `json:"decimals"`
	Logo     *string `json:"logo"`
	PriceID  *string `json:"price_provider_id"`
	Native   *bool   `json:"is_native"`
}

// CoinResult is the result for one coin or chain. Only coins have ContractAddress and ChainAdded.
type CoinResult struct {
	Chain    string  `json:"chain"`
	Ticker   string  `json:"ticker"`
	Address  string  `json:"address"` // the account's address, or "" without one
	Contract *string `json:"contract_address,omitempty"`
	Success  bool    `json:"success"`
	Error    *string `json:"error"`
	Added    *bool   `json:"chain_added,omitempty"`
	Source   string  `json:"decimals_source,omitempty"`
}

// CoinData is the data of add_token and add_chain.
type CoinData struct {
	Results []CoinResult `json:"results"`
}

// BookEntry is an address book entry in a result.
type BookEntry struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Address   string `json:"address"`
	Chain     string `json:"chain"`
	Kind      string `json:"chain_kind"`
	Confirmed bool   `json:"confirmed"`
	Source    string `json:"source"`
}

// BookData is the data of get_address_book.
type BookData struct {
	Entries []BookEntry `json:"entries"`
	Total   int         `json:"total_count"`
}

// BookResult is the result for one address book entry.
type BookResult struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Address string  `json:"address"`
	Chain   string  `json:"chain"`
	Success bool    `json:"success"`
	Error   *string `json:"error"`
	Alike   string  `json:"possible_lookalike_of,omitempty"`
}

// BookResults is the data of add_address_book and delete_address_book.
type BookResults struct {
	Results []BookResult `json:"results"`
}

// text returns an optional text, and whether its length is within the limit.
func text(s *string) (string, bool) {
	if s == nil {
		return "", true
	}
	return *s, len(*s) <= mostText
}

func within(n, most int) bool { return n >= 1 && n <= most }

// validate checks all parameters of an action. It returns false if they are invalid.
func validate(a Action) (work, bool) {
	switch a.Type {
	case AddToken:
		return addToken(a.Params)
	case AddChain:
		return addChain(a.Params)
	case GetBook:
		return getBook(a.Params)
	case AddBook:
		return addBook(a.Params)
	case DeleteBook:
		return deleteBook(a.Params)
	}
	return signBundle(a.Params)
}

func addToken(params json.RawMessage) (w work, ok bool) {
	in, err := strictjson.Decode[struct {
		Tokens []token `json:"tokens"`
	}](params)
	//mutant:never ./internal/actions TestBadInput
	if err != nil || !within(len(in.Tokens), MostAtOnce) {
		return w, false
	}
	var asked []watch.Asked
	for _, t := range in.Tokens {
		if t.Chain == nil || t.Ticker == nil || t.Decimals == nil {
			return w, false
		}
		a := watch.Asked{Decimals: *t.Decimals, Native: t.Native != nil && *t.Native}
		for to, from := range map[*string]*string{&a.Chain: t.Chain, &a.Ticker: t.Ticker, &a.Contract: t.Contract,
			&a.Logo: t.Logo, &a.PriceID: t.PriceID} {
			if *to, ok = text(from); !ok {
				return w, false
			}
		}
		asked = append(asked, a)
	}
	var judged watch.Judged
	w.prepare = func(ctx context.Context, e *Executor) error {
		account, err := e.account(ctx)
		if err == nil {
			judged, err = e.c.Watch.Judge(ctx, account, asked)
		}
		return err
	}
	w.do = func(ctx context.Context, e *Executor, tx Tx) (any, error) {
		list, err := e.c.Watch.AddIn(ctx, tx, judged)
		return coinResults(list, true), err
	}
	return w, true
}

func addChain(params json.RawMessage) (w work, ok bool) {
	in, err := strictjson.Decode[struct {
		Chains []struct {
			Chain *string `json:"chain"`
		} `json:"chains"`
	}](params)
	if err != nil || !within(len(in.Chains), MostAtOnce) {
		return w, false
	}
	var asked []string
	for _, c := range in.Chains {
		name, ok := text(c.Chain)
		if c.Chain == nil || !ok {
			return w, false
		}
		asked = append(asked, name)
	}
	var judged watch.Judged
	w.prepare = func(ctx context.Context, e *Executor) error {
		account, err := e.account(ctx)
		judged = e.c.Watch.JudgeChains(account, asked)
		return err
	}
	w.do = func(ctx context.Context, e *Executor, tx Tx) (any, error) {
		list, err := e.c.Watch.AddIn(ctx, tx, judged)
		return coinResults(list, false), err
	}
	return w, true
}

func coinResults(list []watch.Outcome, tokens bool) CoinData {
	out := CoinData{Results: []CoinResult{}}
	for _, o := range list {
		r := CoinResult{Chain: o.Chain, Ticker: o.Ticker, Success: o.Refused == "", Source: string(o.Source)}
		if o.Account != (sui.Address{}) {
			r.Address = o.Account.String()
		}
		if tokens {
			r.Contract, r.Added = &o.Contract, &o.ChainAdded
		}
		r.Error = word(string(o.Refused))
		out.Results = append(out.Results, r)
	}
	return out
}

// word returns a pointer to an error code, or nil if there is none.
func word(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func getBook(params json.RawMessage) (w work, ok bool) {
	in, err := strictjson.Decode[struct {
		Chain *string `json:"chain"`
		Query *string `json:"query"`
	}](params)
	chain, short := text(in.Chain)
	query, brief := text(in.Query)
	if err != nil || !short || !brief {
		return w, false
	}
	w.do = func(ctx context.Context, e *Executor, tx Tx) (any, error) {
		if err := e.c.Book.Readable(ctx); err != nil {
			return nil, err
		}
		all, err := e.c.Book.List(ctx, chain, query)
		out := BookData{Entries: []BookEntry{}, Total: len(all)}
		for _, b := range all {
			c, _ := book.FindChain(b.Chain)
			out.Entries = append(out.Entries, BookEntry{b.ID, b.Title, b.Address, b.Chain, string(c.Kind), b.Confirmed(),
				string(b.Source)})
		}
		return out, err
	}
	return w, true
}

type bookParams struct {
	Entries []struct {
		ID      *string `json:"id"`
		Title   *string `json:"title"`
		Address *string `json:"address"`
		Chain   *string `json:"chain"`
	} `json:"entries"`
}

// targets reads address book entries. It returns false if a text is too long or there are too many
// entries.
func targets(params json.RawMessage) (in bookParams, list []book.Target, ok bool) {
	in, err := strictjson.Decode[bookParams](params)
	if err != nil || !within(len(in.Entries), MostAtOnce) {
		return in, nil, false
	}
	for _, e := range in.Entries {
		var t book.Target
		for to, from := range map[*string]*string{&t.ID: e.ID, &t.Title: e.Title, &t.Address: e.Address, &t.Chain: e.Chain} {
			if *to, ok = text(from); !ok {
				return in, nil, false
			}
		}
		list = append(list, t)
	}
	return in, list, true
}

func addBook(params json.RawMessage) (w work, ok bool) {
	in, list, ok := targets(params)
	if !ok {
		return w, false
	}
	for _, e := range in.Entries {
		if e.ID != nil || e.Title == nil || e.Address == nil || e.Chain == nil {
			return w, false
		}
	}
	w.do = func(ctx context.Context, e *Executor, tx Tx) (any, error) {
		out, err := e.c.Book.AddIn(ctx, tx, book.Agent, list)
		return bookResults(out), err
	}
	return w, true
}

func deleteBook(params json.RawMessage) (w work, ok bool) {
	_, list, ok := targets(params)
	if !ok {
		return w, false
	}
	w.do = func(ctx context.Context, e *Executor, tx Tx) (any, error) {
		// Deletion returns the titles of the entries, so it requires a book that programs may read.
		if err := e.c.Book.Readable(ctx); err != nil {
			return nil, err
		}
		out, err := e.c.Book.DeleteIn(ctx, tx, list)
		return bookResults(out), err
	}
	return w, true
}

func bookResults(list []book.Outcome) BookResults {
	out := BookResults{Results: []BookResult{}}
	for _, o := range list {
		e := o.Entry
		out.Results = append(out.Results, BookResult{e.ID, e.Title, e.Address, e.Chain, o.Refused == "",
			word(string(o.Refused)), o.Alike.ID})
	}
	return out
}

// failure is the error of an action whose result has both an error code and data.
type failure struct {
	word string
	data any
}

func (f *failure) Error() string { return f.word }

// wordOf returns the error code for an error that the user or the program can fix, or false.
func wordOf(err error) (string, bool) {
	if fault.Is(err, fault.InputInvalid) {
		if reason := fault.As(err).Detail.Get("reason"); reason == string(book.UnknownChain) {
			return reason, true
		}
		return InvalidParams, true
	}
	if fault.Is(err, fault.Blocked) {
		return NotAllowed, true
	}
	return "", false
}
