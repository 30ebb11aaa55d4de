package settings

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Record is the record of requests. *store.DB implements it.
type Record interface {
	// RecordHead returns the last entry, or false if nothing was recorded.
	RecordHead(ctx context.Context) (hashchain.Head, bool, error)
	// RecordSignatures returns the signatures of wallets, latest last.
	RecordSignatures(ctx context.Context) ([]hashchain.Signature, error)
	// SignRecord stores a wallet's signature of an entry. may is checked in the same transaction.
	SignRecord(ctx context.Context, s hashchain.Signature, may func(context.Context) error) (hashchain.Statement, error)
}

// recordView is the record as text.
type recordView struct {
	Entries, Hash                 string // "" if the record is empty
	Signed                        string // what a wallet last signed
	Account, WalletID, WalletName string // the account that can sign; "" for none
}

func (p *page) record(ctx context.Context) (v recordView, err error) {
	head, ok, err := p.Record.RecordHead(ctx)
	if err != nil || !ok {
		return v, err
	}
	v.Entries, v.Hash = words.Plural(int(head.Number), "entry", "entries"), head.Hash.String()
	signed, err := p.Record.RecordSignatures(ctx)
	if err != nil {
		return v, err
	}
	if len(signed) > 0 {
		if st, err := hashchain.ReadStatement(signed[len(signed)-1].Message); err == nil && st.Chain == head.Chain {
			v.Signed = words.Plural(int(st.Number), "entry", "entries") +
				", signed by " + st.Account.String() + " " + words.At(st.At)
		}
	}
	used, ok, err := p.Accounts.Active(ctx)
	if ok && err == nil {
		v.Account, v.WalletID, v.WalletName = used.Account.String(), used.WalletID, used.WalletName
	}
	return v, err
}

// statementOut is the message that a wallet is asked to sign.
type statementOut struct {
	Message string `json:"message"`
}

// statement responds with the message by which the wallet of the account in use signs the record.
// The server does not store it: the signed message is compared with the record.
func (p *page) statement(c *web.Call) error {
	used, ok, err := p.Accounts.Active(c.Ctx())
	if err == nil && !ok {
		err = fault.New(fault.ActiveAccountNotSet, "Connect a wallet first.")
	}
	if err != nil {
		return err
	}
	head, ok, err := p.Record.RecordHead(c.Ctx())
	if err == nil && !ok {
		err = fault.New(fault.InvalidSessionTransition, "Nothing has been recorded yet.")
	}
	st := hashchain.Statement{Head: head, Account: used.Account, At: c.Now()}
	return web.Result(c, statementOut{st.Message()}, err)
}

type signIn struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

// signRecord stores the wallet's signature.
func (p *page) signRecord(c *web.Call, in signIn) error {
	st, err := p.Record.SignRecord(c.Ctx(), hashchain.Signature{Message: in.Message, Signature: in.Signature}, c.Right)
	return became(c, settings.Outcome{Done: true, Says: fmt.Sprintf("Signed: everything up to entry %d.", st.Number)},
		err)
}
