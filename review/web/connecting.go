package web

import (
	"cmp"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pass"
)

// connectView is the connect page in words. Choose says that a wallet is still
// to be chosen: the page's script then lists what the browser has.
type connectView struct {
	Status, Access, Tone, Title, Text string
	Chain, Network                    string
	Account, WalletName               string
	Choose, ReadOnly, OpenedTwice     bool
}

// endWords say how a connection ended, by reason or, without one, by status.
var endWords = map[string]connectView{
	string(account.Connected): {Tone: "good", Title: "Connected",
		Text: "Return to your AI client. It knows this account now and can prepare something for you to review."},
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

func (s *Server) walletView(c *call) error {
	i, err := s.Accounts.Identity(c.ctx(), c.id)
	if err != nil {
		return err
	}
	twice, err := s.Desk.OpenedTwice(c.ctx(), c.pass.Kind, c.pass.Subject)
	if err != nil {
		return err
	}
	v := connectView{Title: "Connect a wallet", Choose: true,
		Text: "Your AI client asks which account you want to use. It learns the address and nothing else, and cannot move anything."}
	if end, ok := endWords[cmp.Or(i.FailureReason, string(i.Status))]; ok {
		v = end
	} else if c.pass.Access != pass.Active {
		v = connectView{ReadOnly: true, Title: "Another tab works on this", Text: "You can go on there, or take over here."}
	}
	v.Access = string(c.pass.Access)
	v.Status, v.OpenedTwice, v.Chain, v.Network = string(i.Status), twice, s.WalletChain, s.Network
	if v.Tone == "bad" && i.FailureDetail != "" {
		v.Text += " It said: " + shown(i.FailureDetail, maxFailureDetail)
	}
	if i.Account != nil {
		v.Account, v.WalletName = i.Account.String(), shown(i.WalletName, maxWalletName)
	}
	return s.fragment(c, "connect.html", v)
}

// walletOut is what the connect page shows of its own session.
type walletOut struct {
	Status        account.IdentityStatus `json:"status"`
	Account       string                 `json:"account,omitempty"`
	WalletName    string                 `json:"walletName,omitempty"`
	FailureReason string                 `json:"failureReason,omitempty"`
	Access        string                 `json:"access"`
	OpenedTwice   bool                   `json:"openedTwice,omitempty"`
}

func (s *Server) writeWallet(c *call, i account.Identity) error {
	twice, err := s.Desk.OpenedTwice(c.ctx(), c.pass.Kind, c.pass.Subject)
	if err != nil {
		return err
	}
	out := walletOut{Status: i.Status, WalletName: shown(i.WalletName, maxWalletName), FailureReason: i.FailureReason,
		Access: string(c.pass.Access), OpenedTwice: twice}
	if i.Account != nil {
		out.Account = i.Account.String()
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

// walletProof is a signed personal message. Nothing asks for one yet, so one
// that is sent unasked is refused rather than believed or dropped.
type walletProof struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

// walletReport takes what the connect page says happened.
func (s *Server) walletReport(c *call) error {
	in, err := body[walletIn](c)
	if err != nil {
		return err
	}
	if in.Proof != nil {
		return fault.New(fault.InputInvalid, "No proof was asked for in this session. Leave it out.")
	}
	identity, err := s.Accounts.Report(c.ctx(), c.id, account.Report{
		Status: in.Status, Account: in.Account, WalletName: in.WalletName, WalletID: in.WalletID,
		Chain: in.Chain, FailureReason: in.FailureReason, FailureDetail: in.FailureDetail,
	})
	if err != nil {
		return err
	}
	return s.writeWallet(c, identity)
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
