package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// permissions lists who may act for an account without its wallet. It is implemented by
// standing.Reader.
type permissions interface {
	List(ctx context.Context, account sui.Address) (standing.List, error)
}

type permissionsIn struct {
	Account publicAddress `json:"account,omitempty" brief:"" description:"a full address; default: the active account"`
	Offset  listOffset    `json:"offset" default:"0" brief:"" description:"how many to skip"`
}

// permissionSaid describes one permission.
type permissionSaid struct {
	Kind    string        `json:"kind" description:"allowance, manager_cap, alias, deepbook_account or deepbook_session"`
	ID      sui.ObjectID  `json:"permissionId" description:"object that it stands in"`
	Holder  *sui.Address  `json:"holder,omitempty" description:"who may act; absent if unknown"`
	Says    string        `json:"says" description:"the permission in words"`
	Now     string        `json:"leftNow,omitempty" description:"maximum that can be taken now"`
	Most    string        `json:"mostFromNow,omitempty" description:"maximum from now on; absent if unlimited"`
	Until   *time.Time    `json:"until,omitempty" description:"expiry, UTC; absent if it never expires"`
	Cap     *sui.ObjectID `json:"allowanceCapId,omitempty" description:"object by which the account ends an allowance: 0x2::allowance::revoke takes both"`
	Manager *sui.ObjectID `json:"managerAddress,omitempty" description:"balance manager that the cap belongs to"`
	Right   string        `json:"right,omitempty" description:"for a cap: trade, deposit or withdraw"`
	Live    bool          `json:"live" description:"whether it still allows an action"`
	End     *actionIntent `json:"end,omitempty" description:"intent that ends it, ready for action.prepare_sui_action_review"`
	EndHow  string        `json:"endOtherwise,omitempty" description:"why no intent can end it, and the alternative"`
}

// Reasons why a permission cannot be revoked here.
const (
	aliasEnd = "This program cannot end it, because it does not know how to call the chain's address_alias functions. Where the account's aliases " +
		"were set, they can be removed. Until then, moving the money to another account is the only way to be safe from this key."
	sessionEnd = "This program cannot end it yet. The app that created the session can, and every session expires within 30 days. " +
		"DeepBook's own apps open the trading account."
)

// maxMoment is the latest time that an answer contains, in milliseconds since 1970.
const maxMoment = 253402300799999

type permissionsOut struct {
	Network     string           `json:"network" description:"network of this server"`
	Scope       accountScope     `json:"accountScope" description:"account of the permissions"`
	Permissions []permissionSaid `json:"permissions" description:"permissions in force, up to 50 of each kind"`
	Count       int              `json:"count" description:"how many were found"`
	Next        *int             `json:"nextOffset,omitempty" description:"offset of the next page"`
	MayBeMore   bool             `json:"mayBeIncomplete" description:"always true: managers without any reference are not searched"`
	Source      evidence.Source  `json:"source" description:"where the list came from"`
	FetchedAt   time.Time        `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// readListStandingPermissions lists the permissions to spend from an account, or to act for it,
// without its wallet.
func readListStandingPermissions(p permissions, accounts accounts, now func() time.Time, network string) tool.Tool {
	refusal := func(name, situation, in string, code fault.Code) tool.Example {
		return tool.Example{Name: name, Given: situation, In: in, Fault: code}
	}
	return tool.Declare(tool.Spec[permissionsIn, permissionsOut]{
		Name:      "read.list_standing_permissions",
		Toolset:   toolsetMoney,
		Title:     "List standing permissions",
		Summary:   "Lists who can act without the wallet: allowances, manager caps, DeepBook sessions, aliases.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.ReadsChain,
		Errors: []fault.Code{fault.QuoteUnavailable, fault.ProviderUnavailable, fault.ProviderRefused,
			fault.ProviderMismatch, fault.ActiveAccountNotSet},
		Cases: []tool.Case[permissionsOut]{{
			Name: "permissions",
			Use: evidence.Use{
				Can:    evidence.Claims{evidence.StandingPermissions},
				Cannot: evidence.Claims{evidence.RecipientIdentity, evidence.SigningData},
				Answer: []string{"count", "permissions", "fetchedAt"},
				Rules:  []string{"nextOffset", "mayBeIncomplete"},
				Next: evidence.Ask(toolPrepare,
					"It takes permissions[].end to end one. A permission without end cannot be ended here yet."),
				Diagnostic: []string{"source"},
			},
		}},
		Examples: []tool.Example{
			{Name: "a public address", Given: givenNothing,
				In: `{"account":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}`, Case: "permissions"},
			{Name: "a page", Given: givenManager, In: `{"offset":1}`, Case: "permissions"},
			{Name: "caps of a manager", Given: givenManager, In: `{}`, Case: "permissions"},
			{Name: "none", Given: givenConnected, In: `{}`, Case: "permissions"},
			refusal("no account", givenNothing, `{}`, fault.ActiveAccountNotSet),
			refusal("half an address", givenNothing, `{"account":"0x12"}`, fault.InputInvalid),
			refusal("retired versions", givenNoVersion, `{}`, fault.QuoteUnavailable),
			refusal("node down", givenNodeDown, `{}`, fault.ProviderUnavailable),
			refusal("node refuses", givenNodeRefuses, `{}`, fault.ProviderRefused),
			refusal("node lies", givenNodeLies, `{}`, fault.ProviderMismatch),
		},
		Run: func(c tool.Call, in permissionsIn) (permissionsOut, error) {
			scope, err := scopeOf(c, accounts, in.Account)
			if err != nil {
				return permissionsOut{}, err
			}
			found, err := p.List(c.Context(), scope.Account)
			out := permissionsOut{Network: network, Scope: scope, Permissions: []permissionSaid{}, Count: len(found.Permissions),
				MayBeMore: true,
				FetchedAt: readAt(found.At), Source: evidence.Source{Kind: "sui_grpc_read",
					Method: "ListOwnedObjects and GetObject"}}
			list, next := pageOf(found.Permissions, in.Offset, mostFound)
			out.Next = next
			for _, one := range list {
				out.Permissions = append(out.Permissions, saidOf(one, now()))
			}
			return out, err
		},
	})
}

func saidOf(p standing.Permission, now time.Time) permissionSaid {
	s := permissionSaid{Kind: string(p.Kind), ID: p.ID, Says: p.Says(now), Right: p.Right, Live: p.Live(now)}
	if !p.Holder.IsZero() {
		s.Holder = &p.Holder
	}
	if !p.Manager.IsZero() {
		s.Manager = &p.Manager
	}
	if a := p.Allowance; a != nil {
		ms := uint64(now.UnixMilli())
		s.Now = standing.Amount(a.Left(ms), a.Coin)
		if worst := a.Worst(ms); worst != nil {
			s.Most = standing.Amount(worst, a.Coin)
		}
		if end, ends := a.Ends(); ends {
			s.Until = &end
		}
		s.Cap = &p.EndedBy.ID
	}
	if p.Until > 0 {
		end := time.UnixMilli(int64(min(p.Until, maxMoment))).UTC()
		s.Until = &end
	}
	switch p.Kind {
	case standing.TradingAccount, standing.Session:
		s.EndHow = sessionEnd
	case standing.Allowance:
		s.End = &actionIntent{Type: revokeAction, Permission: p.ID.String()}
	case standing.ManagerCap:
		s.End = &actionIntent{Type: revokeAction, Permission: p.ID.String(), Manager: chainAddress(p.Manager.String())}
	default:
		s.EndHow = aliasEnd
	}
	return s
}
