package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type createIdentityIn struct{}

type createIdentityOut struct {
	Session     string          `json:"walletSessionId" description:"id for the other wallet identity tools"`
	URL         string          `json:"walletUrl" description:"link for the user; works once"`
	Opening     opened          `json:"opening" description:"how the page was opened; client_agreed is the client's claim"`
	OpenTarget  string          `json:"openTarget" description:"where to open the link"`
	AccessScope string          `json:"accessScope" description:"computers that can open the link"`
	Network     string          `json:"network" description:"network of this server"`
	Status      identityStatus  `json:"status" description:"status of the session"`
	ExpiresAt   time.Time       `json:"expiresAt" description:"expiry of the session if no account connects, UTC"`
	Polling     identityPolling `json:"pollingHint" description:"how to poll"`
}

// Values and tool names in answers with a link.
const (
	systemBrowser   = "system_browser"
	loopbackOnly    = "same_machine_loopback"
	toolWaitResult  = "session.wait_execution_result"
	toolReviewState = "session.get_review_status"
)

// sessionCreateWalletIdentity creates a session in which the user connects an account of their
// wallet, on a page of this machine.
func sessionCreateWalletIdentity(accounts accounts, page opener, network string) tool.Tool {
	return tool.Declare(tool.Spec[createIdentityIn, createIdentityOut]{
		Name:    "session.create_wallet_identity",
		Title:   "Create wallet connect link",
		Summary: "Creates a link to a local page where the user connects a wallet account, in a browser on this computer.",
		Effect:  tool.OpensSession,
		Errors:  []fault.Code{fault.Blocked},
		Cases: []tool.Case[createIdentityOut]{{
			Name: "link",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.WalletLink},
				Cannot: evidence.NotLogin().And(evidence.NotSigning(),
					evidence.Claims{evidence.ConnectedAccount, evidence.AccountBalance}),
				Answer:     []string{"walletUrl", "openTarget", "opening", "expiresAt"},
				Rules:      []string{"openTarget", "accessScope"},
				Diagnostic: []string{"pollingHint", "status"},
				Next: evidence.Ask(toolWaitIdentity, "The user connects in the browser.").
					With("walletSessionId").Reading("status", "account"),
			},
		}},
		Examples: []tool.Example{
			{Name: "link", Given: givenNothing, In: `{}`, Case: "link"},
			{Name: "no pages", Given: givenNoPages, In: `{}`, Fault: fault.Blocked},
		},
		Run: func(c tool.Call, _ createIdentityIn) (createIdentityOut, error) {
			i, err := accounts.Create(c.Context())
			made := createIdentityOut{Session: i.ID}
			if err != nil {
				return made, err
			}
			url, err := page.link.make(c.Context(), pagetoken.Connect, i.ID)
			if err != nil {
				return made, err
			}
			return createIdentityOut{
				Session: i.ID, URL: url, Opening: linkOnly, OpenTarget: systemBrowser, AccessScope: loopbackOnly, Network: network,
				Status: identityStatus(i.Status), ExpiresAt: i.ExpiresAt.UTC(), Polling: identityHint(),
			}, nil
		},
		Undo: taking(page, pagetoken.Connect, func(out *createIdentityOut) string { return out.Session }),
		Asking: opening(page, pagetoken.Connect, func(out *createIdentityOut) (string, *opened) {
			return out.Session,
				&out.Opening
		}),
	})
}
