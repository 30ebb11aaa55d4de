package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// accounts manages wallet identity sessions and the active account.
type accounts interface {
	Create(ctx context.Context) (account.Identity, error)
	Identity(ctx context.Context, id string) (account.Identity, error)
	Wait(ctx context.Context, id string, most time.Duration) (account.Identity, bool, error)
	Active(ctx context.Context) (account.Active, bool, error)
	Clear(ctx context.Context) (account.Active, bool, error)
}

type activeAccountIn struct{}

type activeAccountOut struct {
	Status     string       `json:"status" description:"set or none"`
	Network    string       `json:"network" description:"network of this server"`
	Account    *sui.Address `json:"account,omitempty" description:"address used for reads and reviews"`
	Chain      string       `json:"chain,omitempty" description:"wallet chain of the account"`
	WalletName string       `json:"walletName,omitempty" description:"the wallet's name for itself"`
	Source     string       `json:"source,omitempty" description:"how the account was set"`
	Proven     *bool        `json:"ownershipProven,omitempty" description:"whether a wallet signature showed ownership"`
	Ownership  ownership    `json:"ownership,omitempty" description:"the same in words"`
	ProvenAt   *time.Time   `json:"provenAt,omitempty" description:"when a signature showed it, UTC"`
	SetAt      *time.Time   `json:"setAt,omitempty" description:"when it was set, UTC"`
	Boundary   string       `json:"boundary,omitempty" description:"possible uses of the account"`
}

// Values of an answer, and tools that guidance names.
const (
	accountSet       = "set"
	accountNone      = "none"
	fromIdentity     = "wallet_identity"
	readContextOnly  = "read_context_only_not_signing_authorization"
	toolIdentity     = "session.create_wallet_identity"
	toolPrepare      = "action.prepare_sui_action_review"
	toolWaitIdentity = "session.wait_wallet_identity"
)

// accountGetActiveAccount returns the account used for reads and reviews. The answer does not prove
// who is asking.
func accountGetActiveAccount(accounts accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[activeAccountIn, activeAccountOut]{
		Name:      "account.get_active_account",
		Title:     "Get active account",
		Summary:   "Returns the wallet account used for reads and reviews, or that none is connected.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.ReadsLocal,
		Cases:     activeAccountCases(),
		Examples: []tool.Example{
			{Name: "connected", Given: givenConnected, In: `{}`, Case: "set"},
			{Name: "proven with a signature", Given: givenProven, In: `{}`, Case: "proven"},
			{Name: "not connected", Given: givenNothing, In: `{}`, Case: "none"},
		},
		Run: func(c tool.Call, _ activeAccountIn) (activeAccountOut, error) {
			active, ok, err := accounts.Active(c.Context())
			if err != nil || !ok {
				return activeAccountOut{Status: accountNone, Network: network}, err
			}
			at := active.ConnectedAt.UTC()
			return activeAccountOut{
				Status: accountSet, Network: network, Account: &active.Account, Chain: active.Chain,
				WalletName: screen.Name(active.WalletName).Text, Source: fromIdentity,
				Proven: &active.Proven, Ownership: ownershipOf(active.Proven), ProvenAt: shownTime(active.ProvenAt),
				SetAt: &at, Boundary: readContextOnly,
			}, nil
		},
	})
}

func activeAccountCases() []tool.Case[activeAccountOut] {
	return []tool.Case[activeAccountOut]{
		{
			Name: "proven",
			When: func(o activeAccountOut) bool { return o.Proven != nil && *o.Proven },
			Use: evidence.Use{
				Can: evidence.Claims{evidence.ActiveAccount, evidence.KeyShown},
				Cannot: evidence.NotAuthority().And(evidence.NotSigning(),
					evidence.Claims{evidence.AccountBalance, evidence.CompleteHistory}),
				Answer: []string{"status", "account", "walletName", "setAt", "ownership", "provenAt"},
				Rules:  []string{"boundary", "ownershipProven"},
			},
		},
		{
			Name: "set",
			When: func(o activeAccountOut) bool { return o.Status == accountSet },
			Use: evidence.Use{
				Can: evidence.Claims{evidence.ActiveAccount},
				Cannot: evidence.NotLogin().And(evidence.NotSigning(),
					evidence.Claims{evidence.AccountBalance, evidence.CompleteHistory}),
				Answer: []string{"status", "account", "walletName", "setAt", "ownership"},
				Rules:  []string{"boundary", "ownershipProven"},
			},
		},
		{
			Name: "none",
			Use: evidence.Use{
				Can:    evidence.Claims{evidence.NoActiveAccount},
				Cannot: evidence.NotLogin().And(evidence.Claims{evidence.AccountBalance}),
				Answer: []string{"status"},
				Next: evidence.Ask(toolIdentity, "Reviews need a connected wallet account.").
					Reading("walletUrl", "walletSessionId"),
			},
		},
	}
}
