package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type waitIdentityIn struct {
	Session sessionID  `json:"walletSessionId" brief:"" description:"id from session.create_wallet_identity"`
	Timeout waitMillis `json:"timeoutMs" default:"45000" brief:"" description:"at most 45000"`
}

type waitIdentityOut struct {
	waited
	identityOut
}

// sessionWaitWalletIdentity waits until a wallet identity session ends, or for a time limit.
func sessionWaitWalletIdentity(accounts accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[waitIdentityIn, waitIdentityOut]{
		Name:      "session.wait_wallet_identity",
		Title:     "Wait for wallet connect",
		Summary:   "Waits up to 45 seconds until the user connects a wallet or declines, or the session ends.",
		Waits:     true,
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.KeepsTime,
		Errors:    identityErrors,
		Cases:     identityCases(func(o waitIdentityOut) identityOut { return o.identityOut }, "timed out", withOutcome),
		Examples: identityExamples(
			tool.Example{Name: "not finished", Given: givenLink, In: `{"walletSessionId":"<walletSessionId>","timeoutMs":20}`,
				Case: "timed out"},
			tool.Example{Name: "no time", Given: givenLink, In: `{"walletSessionId":"<walletSessionId>","timeoutMs":0}`,
				Fault: fault.InputInvalid}),
		Run: func(c tool.Call, in waitIdentityIn) (waitIdentityOut, error) {
			span, note := in.Timeout.span()
			i, reached, err := await(c, span, "Waiting for the user to connect a wallet in the browser.",
				func(ctx context.Context, most time.Duration) (account.Identity, bool, error) {
					return accounts.Wait(ctx, string(in.Session), most)
				})
			if err != nil {
				return waitIdentityOut{}, err
			}
			return waitIdentityOut{ended(reached, span, note), showIdentity(i, network)}, nil
		},
	})
}
