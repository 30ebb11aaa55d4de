package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// sessionGetWalletIdentity returns the status of a wallet identity session.
func sessionGetWalletIdentity(accounts accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[identityIn, identityOut]{
		Name:      "session.get_wallet_identity",
		Title:     "Get wallet connect status",
		Summary:   "Returns the status of a wallet identity session, and the account if one was connected.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.KeepsTime,
		Errors:    identityErrors,
		Cases: identityCases(func(o identityOut) identityOut { return o }, "unfinished",
			func(u evidence.Use) evidence.Use { return u }),
		Examples: identityExamples(
			tool.Example{Name: "not opened", Given: givenLink, In: `{"walletSessionId":"<walletSessionId>"}`,
				Case: "unfinished"},
			tool.Example{Name: "malformed", Given: givenNothing, In: `{"walletSessionId":"../etc"}`, Fault: fault.InputInvalid}),
		Run: func(c tool.Call, in identityIn) (identityOut, error) {
			i, err := accounts.Identity(c.Context(), string(in.Session))
			if err != nil {
				return identityOut{}, err
			}
			return showIdentity(i, network), nil
		},
	})
}
