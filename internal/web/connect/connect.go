// Package connect is the page on which the user connects a wallet, chooses a known account, and
// proves ownership of it.
package connect

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

//go:embed connect.html connect.js
var files embed.FS

// maxFailureDetail is the maximum length of a wallet's error message.
const maxFailureDetail = 500

type page struct {
	accounts *account.Service
	clients  func(ctx context.Context) ([]string, error)
}

// New returns the page. clients lists the AI clients known on this computer.
func New(accounts *account.Service, clients func(ctx context.Context) ([]string, error)) web.Page {
	p := &page{accounts, clients}
	active := func(path string, run web.Handler) web.Route {
		return web.Post("/api/wallet/{id}/"+path, web.WithActive, pagetoken.Connect, run)
	}
	return web.Page{
		Kind: pagetoken.Connect, Name: "connect", Title: "Connect a wallet", Path: "/connect/{id}",
		API: "/api/wallet/{id}", Files: files,
		View: p.view, Signs: web.SignsMessages, Opened: p.opened,
		Live: &web.Live{
			Subject: func(id string) events.Subject { return events.Subject{Kind: events.Identity, ID: id} },
			State: func(ctx context.Context, id string) (web.State, error) {
				i, err := accounts.Identity(ctx, id)
				return web.State{Status: string(i.Status)}, err
			},
			Answer: p.state,
		},
		Routes: []web.Route{
			active("state", web.Reads(p.report)), active("use", web.Reads(p.use)), active("forget",
				web.Reads(p.forget)), active("challenge", web.Empty(p.challenge)),
			active("multisig", web.Reads(p.multiSig)),
		},
	}
}

// opened marks the session as opened. The page of an expired session also opens, and reports that
// it expired.
func (p *page) opened(ctx context.Context, id string) (int64, error) {
	err := p.accounts.Opened(ctx, id)
	if fault.Is(err, fault.SessionExpired) {
		err = nil
	}
	return 0, err
}

// connectView is the connect page as text. Choose means that the user has not chosen a wallet yet,
// and that the page's script lists the browser's wallets. Prove means that the page offers to prove
// the account with a signature. WalletKey is the stored name of the wallet.
type connectView struct {
	Status, Access, Tone, Title, Text string
	Chain, Network                    string
	Account, WalletName               string
	WalletKey, WalletID               string
	Proven, Replaced                  string
	Known                             []knownLine
	Used                              web.InUse // the account that the user's choice replaces
	Choose, ReadOnly, OpenedTwice     bool
	Prove, Wide, MultiSig             bool
	Learns                            string
}

// knownLine is one remembered account.
type knownLine struct {
	Account, Brief, WalletName, Proven, Last string
	InUse, First                             bool
}

// endWords describe how a connection ended, by reason, or by status if the reason is empty.
var endWords = map[string]connectView{
	string(account.Connected): {Tone: "good", Title: "Connected"},
	string(account.Expired): {Tone: "warn", Title: "This link has expired",
		Text: "Nothing was connected. Ask your AI client for a new connect link."},
	account.UserRejected: {Tone: "warn", Title: "You declined in your wallet",
		Text: "Nothing was connected. To try again, ask your AI client for a new connect link."},
	account.NoCompatibleWallet: {Tone: "warn", Title: "No usable wallet",
		Text: "Install or switch on a Sui wallet extension, then ask your AI client for a new connect link."},
	account.NoAccountsAuthorized: {Tone: "warn", Title: "The wallet offered no account",
		Text: "Unlock it, allow an account for this page, then ask your AI client for a new connect link."},
	account.UnsupportedChain: {Tone: "warn", Title: "The wallet is on another network",
		Text: "Change the network in the wallet, then ask your AI client for a new connect link."},
	account.WalletProviderError: {Tone: "bad", Title: "The wallet reported an error",
		Text: "Nothing was connected. To try again, ask your AI client for a new connect link."},
}

// connectText is the short explanation of what connecting does. learnsText is the full one.
const connectText = "Your AI will see this address and what it holds. It cannot move anything."

const learnsText = "Your AI client asks which account it may work with. It learns its address and the wallet’s " +
	"name, reads what is public about it " +
	"(coins, orders, past transactions), and prepares transactions for you to read. It cannot sign, and it cannot move " +
	"anything. This computer remembers the account until you forget it."

// TourClient is the name of the AI client whose role the tour plays in a terminal.
const TourClient = "say-ur-intent-demo"

// sentBack returns where the conversation continues once an account is connected.
func (p *page) sentBack(c *web.Call) (string, error) {
	clients, err := p.clients(c.Ctx())
	if err != nil {
		return "", err
	}
	if slices.Equal(clients, []string{TourClient}) {
		return "Return to the terminal. It plays the AI client, which knows this account now.", nil
	}
	return "Return to your AI client. It knows this account now and can prepare something for you to review.", nil
}

func (p *page) view(c *web.Call) error {
	i, err := p.accounts.Identity(c.Ctx(), c.ID)
	if err != nil {
		return err
	}
	v := connectView{Title: "Connect your wallet", Choose: true, Text: connectText, Learns: learnsText}
	if end, ok := endWords[cmp.Or(i.FailureReason, string(i.Status))]; ok {
		if v = end; i.Status == account.Connected {
			if v.Text, err = p.sentBack(c); err != nil {
				return err
			}
		}
	} else if c.Pass.Access != pagetoken.Active {
		v = connectView{ReadOnly: true, Title: "Another tab works on this", Text: "You can go on there, or take over here."}
	}
	v.Access, v.Wide = string(c.Pass.Access), c.Wide()
	v.Status, v.OpenedTwice, v.Chain, v.Network = string(i.Status), i.OpenedTwice, c.WalletChain(), c.Network()
	if v.Tone == "bad" && i.FailureDetail != "" {
		v.Text += " It said: " + words.Shown(i.FailureDetail, maxFailureDetail)
	}
	if i.Account != nil {
		v.Account, v.WalletName = i.Account.String(), words.Whole(i.WalletName)
		v.WalletKey, v.WalletID, v.Proven = i.WalletName, i.WalletID, words.At(i.ProvenAt)
		v.MultiSig = i.WalletName == account.MultiSigName && i.WalletID == ""
		v.Prove = c.Pass.Access == pagetoken.Active && i.ProvenAt.IsZero() && !v.MultiSig
	}
	if i.Replaced != nil {
		v.Replaced = i.Replaced.String()
	}
	if v.Choose {
		if v.Known, err = p.knownLines(c); err != nil {
			return err
		}
		if v.Used, err = c.Used(); err != nil {
			return err
		}
	}
	return web.Fragment(c, "connect.html", v)
}

// knownLines lists the remembered accounts on this server's chain.
func (p *page) knownLines(c *web.Call) ([]knownLine, error) {
	known, err := p.accounts.Known(c.Ctx())
	if err != nil {
		return nil, err
	}
	active, used, err := p.accounts.Active(c.Ctx())
	if err != nil {
		return nil, err
	}
	var lines []knownLine
	for _, k := range known {
		if k.Chain != c.WalletChain() {
			continue
		}
		address := k.Account.String()
		lines = append(lines, knownLine{
			Account: address, Brief: address[len(address)-4:], WalletName: words.Whole(k.WalletName),
			Proven: words.At(k.ProvenAt), Last: words.At(k.LastConnectedAt), InUse: used && active.Account == k.Account,
			First: len(lines) == 0,
		})
	}
	return lines, nil
}

// walletOut is the state of the session that the page shows. Proven is false if the wallet has not
// proven the account.
type walletOut struct {
	Status        account.IdentityStatus `json:"status"`
	Account       string                 `json:"account,omitempty"`
	WalletName    string                 `json:"walletName,omitempty"`
	Replaced      string                 `json:"replaced,omitempty"`
	Proven        bool                   `json:"proven"`
	ProvenAt      *time.Time             `json:"provenAt,omitempty"`
	FailureReason string                 `json:"failureReason,omitempty"`
	Access        string                 `json:"access"`
	OpenedTwice   bool                   `json:"openedTwice"`
	InUse         string                 `json:"inUse"` // Mark of the account in use
}

func (p *page) write(c *web.Call, i account.Identity) error {
	used, err := c.Used()
	if err != nil {
		return err
	}
	out := walletOut{Status: i.Status, WalletName: words.Whole(i.WalletName), FailureReason: i.FailureReason,
		InUse:  used.Mark,
		Access: string(c.Pass.Access), OpenedTwice: i.OpenedTwice, Proven: !i.ProvenAt.IsZero()}
	if i.Account != nil {
		out.Account = i.Account.String()
	}
	if i.Replaced != nil {
		out.Replaced = i.Replaced.String()
	}
	if out.Proven {
		at := i.ProvenAt.UTC()
		out.ProvenAt = &at
	}
	return web.JSON(c, http.StatusOK, out)
}

func (p *page) state(c *web.Call) error {
	identity, err := p.accounts.Identity(c.Ctx(), c.ID)
	if err != nil {
		return err
	}
	return p.write(c, identity)
}

type walletIn struct {
	Status        account.IdentityStatus `json:"status"`
	Account       string                 `json:"account,omitempty"`
	WalletName    string                 `json:"walletName,omitempty"`
	WalletID      string                 `json:"walletId,omitempty"`
	Chain         string                 `json:"chain,omitempty"`
	FailureReason string                 `json:"failureReason,omitempty"`
	FailureDetail string                 `json:"failureDetail,omitempty"`
	Proof         *walletProof           `json:"proof,omitempty"`
}

// walletProof is a personal message that this server issued, as signed by the wallet.
type walletProof struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

// report handles an event that the connect page reports: a step of the connection, or the proof of
// the connected account.
func (p *page) report(c *web.Call, in walletIn) error {
	var err error
	var identity account.Identity
	if in.Proof != nil {
		if in != (walletIn{Status: account.Connected, Proof: in.Proof}) {
			return fault.New(fault.InputInvalid, "A proof is about a connected account: send it with the status connected, "+
				"and nothing else.")
		}
		identity, err = p.accounts.Prove(c.Ctx(), c.ID, in.Proof.Message, in.Proof.Signature)
	} else {
		identity, err = p.accounts.Report(c.Ctx(), c.ID, account.Report{
			Status: in.Status, Account: in.Account, WalletName: in.WalletName, WalletID: in.WalletID,
			Chain: in.Chain, FailureReason: in.FailureReason, FailureDetail: in.FailureDetail,
		})
	}
	if err != nil {
		return err
	}
	return p.connected(c, identity)
}

// connected responds with a session. If a browser session connected the account, the account counts
// as chosen by the user.
func (p *page) connected(c *web.Call, i account.Identity) error {
	if c.Wide() && i.Status == account.Connected {
		if err := p.accounts.Choose(c.Ctx(), *i.Account); err != nil {
			return err
		}
	}
	return p.write(c, i)
}

// challenge responds with the message that the wallet can sign to prove the account.
func (p *page) challenge(c *web.Call) error {
	challenge, err := p.accounts.Challenge(c.Ctx(), c.ID)
	return web.Result(c, challenge, err)
}

type knownIn struct {
	Account string `json:"account"`
}

// address parses the address of the chosen account.
func (in knownIn) address() (sui.Address, error) {
	return sui.ParseAccount(in.Account)
}

// use ends the session with a remembered account.
func (p *page) use(c *web.Call, in knownIn) error {
	address, err := in.address()
	if err != nil {
		return err
	}
	identity, err := p.accounts.UseIn(c.Ctx(), c.ID, address)
	if err != nil {
		return err
	}
	return p.connected(c, identity)
}

// forget deletes a remembered account.
func (p *page) forget(c *web.Call, in knownIn) error {
	address, err := in.address()
	if err == nil {
		err = p.accounts.Forget(c.Ctx(), address)
	}
	return web.Result(c, struct{}{}, err)
}
