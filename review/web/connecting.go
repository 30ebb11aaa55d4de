package web

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// connectView is the connect page in words. Choose says that a wallet is still
// to be chosen: the page's script then lists what the browser has. Prove says
// that a signature may be offered. WalletKey is the wallet's name as it is stored.
type connectView struct {
	Status, Access, Tone, Title, Text string
	Chain, Network                    string
	Account, WalletName               string
	WalletKey, WalletID               string
	Proven, Replaced                  string
	Known                             []knownLine
	Used                              inUse // what a choice replaces
	Choose, ReadOnly, OpenedTwice     bool
	Prove                             bool
}

// knownLine is one remembered account.
type knownLine struct {
	Account, Brief, WalletName, Proven, Last string
	InUse                                    bool
}

// endWords say how a connection ended, by reason or, without one, by status.
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

// connectText says what a choice on the connect page does.
const connectText = "Your AI client asks which account it may work with. It learns its address and the wallet’s name, reads what is public about it " +
	"(coins, orders, past transactions), and prepares transactions for you to read. It cannot sign, and it cannot move anything. " +
	"This computer remembers the account until you forget it."

// TourClient is the name under which the tour plays the AI client, in a terminal.
const TourClient = "say-ur-intent-demo"

// sentBack says where the conversation continues once an account is connected.
func (s *Server) sentBack(c *call) (string, error) {
	var clients []string
	if s.Bus != nil {
		var err error
		if clients, err = s.Bus.Clients(c.ctx()); err != nil {
			return "", err
		}
	}
	if slices.Equal(clients, []string{TourClient}) {
		return "Return to the terminal. It plays the AI client, which knows this account now.", nil
	}
	return "Return to your AI client. It knows this account now and can prepare something for you to review.", nil
}

func (s *Server) walletView(c *call) error {
	i, err := s.Accounts.Identity(c.ctx(), c.id)
	if err != nil {
		return err
	}
	v := connectView{Title: "Connect a wallet", Choose: true, Text: connectText}
	if end, ok := endWords[cmp.Or(i.FailureReason, string(i.Status))]; ok {
		if v = end; i.Status == account.Connected {
			if v.Text, err = s.sentBack(c); err != nil {
				return err
			}
		}
	} else if c.pass.Access != pagetoken.Active {
		v = connectView{ReadOnly: true, Title: "Another tab works on this", Text: "You can go on there, or take over here."}
	}
	v.Access = string(c.pass.Access)
	v.Status, v.OpenedTwice, v.Chain, v.Network = string(i.Status), i.OpenedTwice, s.WalletChain, s.Network
	if v.Tone == "bad" && i.FailureDetail != "" {
		v.Text += " It said: " + shown(i.FailureDetail, maxFailureDetail)
	}
	if i.Account != nil {
		v.Account, v.WalletName = i.Account.String(), whole(i.WalletName)
		v.WalletKey, v.WalletID, v.Proven = i.WalletName, i.WalletID, at(i.ProvenAt)
		v.Prove = c.pass.Access == pagetoken.Active && i.ProvenAt.IsZero()
	}
	if i.Replaced != nil {
		v.Replaced = i.Replaced.String()
	}
	if v.Choose {
		if v.Known, err = s.knownLines(c); err != nil {
			return err
		}
		if v.Used, err = s.accountInUse(c.ctx()); err != nil {
			return err
		}
	}
	return s.fragment(c, "connect.html", v)
}

// knownLines lists the remembered accounts of this server's chain.
func (s *Server) knownLines(c *call) ([]knownLine, error) {
	known, err := s.Accounts.Known(c.ctx())
	if err != nil {
		return nil, err
	}
	active, used, err := s.Accounts.Active(c.ctx())
	if err != nil {
		return nil, err
	}
	var lines []knownLine
	for _, k := range known {
		if k.Chain != s.WalletChain {
			continue
		}
		address := k.Account.String()
		lines = append(lines, knownLine{
			Account: address, Brief: address[len(address)-4:], WalletName: whole(k.WalletName),
			Proven: at(k.ProvenAt), Last: at(k.LastConnectedAt), InUse: used && active.Account == k.Account,
		})
	}
	return lines, nil
}

// walletOut is what the connect page shows of its own session. Proven is false
// for an account that is claimed only.
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
	InUse         string                 `json:"inUse"` // changes with the account in use
}

func (s *Server) writeWallet(c *call, i account.Identity) error {
	used, err := s.accountInUse(c.ctx())
	if err != nil {
		return err
	}
	out := walletOut{Status: i.Status, WalletName: whole(i.WalletName), FailureReason: i.FailureReason, InUse: used.Mark,
		Access: string(c.pass.Access), OpenedTwice: i.OpenedTwice, Proven: !i.ProvenAt.IsZero()}
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
	writeJSON(c.w, http.StatusOK, out)
	return nil
}

func (s *Server) walletState(c *call) error {
	identity, err := s.Accounts.Identity(c.ctx(), c.id)
	if err != nil {
		return err
	}
	return s.writeWallet(c, identity)
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

// walletProof is a personal message that this server gave out and the wallet signed.
type walletProof struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

// walletReport takes what the connect page says happened: a step of the
// connection, or, of a connected account, its proof.
func (s *Server) walletReport(c *call) error {
	in, err := body[walletIn](c)
	if err != nil {
		return err
	}
	var identity account.Identity
	if in.Proof != nil {
		if in != (walletIn{Status: account.Connected, Proof: in.Proof}) {
			return fault.New(fault.InputInvalid, "A proof is about a connected account: send it with the status connected, and nothing else.")
		}
		identity, err = s.Accounts.Prove(c.ctx(), c.id, in.Proof.Message, in.Proof.Signature)
	} else {
		identity, err = s.Accounts.Report(c.ctx(), c.id, account.Report{
			Status: in.Status, Account: in.Account, WalletName: in.WalletName, WalletID: in.WalletID,
			Chain: in.Chain, FailureReason: in.FailureReason, FailureDetail: in.FailureDetail,
		})
	}
	if err != nil {
		return err
	}
	return s.writeWallet(c, identity)
}

// walletChallenge returns the message that the wallet may sign to prove the account.
func (s *Server) walletChallenge(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	challenge, err := s.Accounts.Challenge(c.ctx(), c.id)
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, challenge)
	return nil
}

type knownIn struct {
	Account string `json:"account"`
}

// address reads the account that the person chose.
func (in knownIn) address() (sui.Address, error) {
	return sui.ParseAccount(in.Account)
}

// walletUse ends the session with an account that is remembered.
func (s *Server) walletUse(c *call) error {
	in, err := body[knownIn](c)
	if err != nil {
		return err
	}
	address, err := in.address()
	if err != nil {
		return err
	}
	identity, err := s.Accounts.UseIn(c.ctx(), c.id, address)
	if err != nil {
		return err
	}
	return s.writeWallet(c, identity)
}

// walletForget drops a remembered account.
func (s *Server) walletForget(c *call) error {
	in, err := body[knownIn](c)
	if err != nil {
		return err
	}
	address, err := in.address()
	if err == nil {
		err = s.Accounts.Forget(c.ctx(), address)
	}
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, struct{}{})
	return nil
}

// walletContinue makes this tab the one that acts.
func (s *Server) walletContinue(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	if err := s.Desk.Continue(c.ctx(), c.pass); err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, struct{}{})
	return nil
}
