package tools

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// sessionGetWalletIdentity tells where a wallet identity session stands.
func sessionGetWalletIdentity(accounts accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[identityIn, identityOut]{
		Name:    "session.get_wallet_identity",
		Title:   "Get wallet connect status",
		Summary: "Reads where a wallet identity session stands, and the account when one was connected.",
		Effect:  tool.KeepsTime,
		Errors:  identityErrors,
		Cases: []tool.Case[identityOut]{
			{Name: "connected", When: func(o identityOut) bool { return isConnected(o.Status) }, Use: connectedUse()},
			{Name: "ended", When: func(o identityOut) bool { return isEnded(o.Status) }, Use: endedUse()},
			{Name: "unfinished", Use: unfinishedUse()},
		},
		Examples: []tool.Example{
			{Name: "not opened", Given: givenLink, In: `{"walletSessionId":"<walletSessionId>"}`, Case: "unfinished"},
			{Name: "connected", Given: givenIdentity, In: `{"walletSessionId":"<walletSessionId>"}`, Case: "connected"},
			{Name: "refused", Given: givenRefusal, In: `{"walletSessionId":"<walletSessionId>"}`, Case: "ended"},
			{Name: "unknown", Given: givenNothing, In: `{"walletSessionId":"AAAAAAAAAAAAAAAAAAAAAAAA"}`, Fault: fault.SessionNotFound},
			{Name: "malformed", Given: givenNothing, In: `{"walletSessionId":"../etc"}`, Fault: fault.InputInvalid},
		},
		Run: func(c tool.Call, in identityIn) (identityOut, error) {
			i, err := accounts.Identity(c.Context(), string(in.Session))
			if err != nil {
				return identityOut{}, err
			}
			return showIdentity(i, network), nil
		},
	})
}
