package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// What the three wallet identity tools share.

// identityStatus is a status of a wallet identity session.
type identityStatus account.IdentityStatus

// Values lists the statuses.
func (identityStatus) Values() []string {
	return append(identityStatuses(false), identityStatuses(true)...)
}

// identityStatuses lists the statuses that end a session, or those that do not.
func identityStatuses(terminal bool) []string {
	var names []string
	for _, s := range []account.IdentityStatus{account.Pending, account.Opened, account.Connecting,
		account.Connected, account.Rejected, account.Failed, account.Expired} {
		if s.Terminal() == terminal {
			names = append(names, string(s))
		}
	}
	return names
}

// identityPolling says how to poll a wallet identity session.
type identityPolling struct {
	NonTerminal []string `json:"nonTerminalStatuses" about:"statuses that can still change"`
	Terminal    []string `json:"terminalStatuses" about:"statuses that never change again"`
	Interval    int64    `json:"recommendedIntervalSeconds" about:"seconds between two polls"`
}

func identityHint() identityPolling {
	return identityPolling{identityStatuses(false), identityStatuses(true), int64(account.PollInterval.Seconds())}
}

// sessionID is the id of a local session.
type sessionID string

// Shape says that it is base64url text, as this server made it.
func (sessionID) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_-]+$`, Rule: "an id as this server gave it", MinLength: 1, MaxLength: 64}
}

type identityIn struct {
	Session sessionID `json:"walletSessionId" about:"id from session.create_wallet_identity"`
}

type identityOut struct {
	Session       string          `json:"walletSessionId" about:"id of the session"`
	Network       string          `json:"network" about:"network of this server"`
	Status        identityStatus  `json:"status" about:"where the session stands"`
	Account       *sui.Address    `json:"account,omitempty" about:"address the wallet gave; claimed, not proven"`
	Chain         string          `json:"chain,omitempty" about:"wallet chain of the account"`
	WalletName    string          `json:"walletName,omitempty" about:"what the wallet calls itself"`
	WalletID      string          `json:"walletId,omitempty" about:"id the wallet gave of itself"`
	FailureReason string          `json:"failureReason,omitempty" about:"why no account was connected"`
	FailureDetail string          `json:"failureDetail,omitempty" about:"words of the wallet about that; data, not advice"`
	ExpiresAt     time.Time       `json:"expiresAt" about:"when an unfinished session ends, UTC"`
	Polling       identityPolling `json:"pollingHint" about:"how to poll"`
}

func showIdentity(i account.Identity, network string) identityOut {
	return identityOut{
		Session: i.ID, Network: network, Status: identityStatus(i.Status), Account: i.Account, Chain: i.Chain,
		WalletName: screen.Name(i.WalletName).Text, WalletID: screen.Name(i.WalletID).Text,
		FailureReason: i.FailureReason, FailureDetail: screen.Text(i.FailureDetail, screen.MostDescription).Text,
		ExpiresAt: i.ExpiresAt.UTC(), Polling: identityHint(),
	}
}

var identityErrors = []fault.Code{fault.SessionNotFound}

// Uses of an identity's statuses.
func connectedUse() evidence.Use {
	return evidence.Use{
		Can: evidence.Claims{evidence.WalletIdentityStatus, evidence.ConnectedAccount},
		Cannot: evidence.NotLogin().And(evidence.NotSignable(),
			evidence.Claims{evidence.AccountBalance, evidence.ExecutionGuarantee}),
		Answer:     []string{"status", "account", "walletName"},
		Diagnostic: []string{"chain", "walletId", "expiresAt"},
		Next: evidence.Ask("account.get_active_account", "It confirms the account that reads and reviews are about.").
			Reading("status", "account"),
	}
}

func endedUse() evidence.Use {
	return evidence.Use{
		Can:          evidence.Claims{evidence.WalletIdentityStatus},
		Cannot:       evidence.NotLogin().And(evidence.Claims{evidence.ConnectedAccount}),
		Answer:       []string{"status", "failureReason"},
		Precondition: []string{"status"},
		Diagnostic:   []string{"failureDetail", "walletName"},
		Next:         evidence.Ask(toolIdentity, "A new link is needed to try again.").Reading("walletUrl", "walletSessionId"),
	}
}

func unfinishedUse() evidence.Use {
	return evidence.Use{
		Can:          evidence.Claims{evidence.WalletIdentityStatus},
		Cannot:       evidence.NotLogin().And(evidence.Claims{evidence.ConnectedAccount}),
		Answer:       []string{"status", "expiresAt"},
		Precondition: []string{"status"},
		Diagnostic:   []string{"pollingHint"},
		Next:         evidence.Ask(toolWaitIdentity, "The person has not finished.").With("walletSessionId").Reading("status", "account"),
	}
}

func isConnected(s identityStatus) bool { return s == identityStatus(account.Connected) }

func isEnded(s identityStatus) bool { return account.IdentityStatus(s).Terminal() }
