package holdings

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Permission lets others act without the account's wallet. Kind is a standing.Kind. Says describes
// it completely.
type Permission struct {
	Kind, Says  string
	ID, Manager sui.ObjectID // the object that is revoked, and the manager of a cap
	Ask         string       // request to an AI client that revokes it; "" if there is none
	Danger      bool         // the account can lose something through it
}

// Permissions are the permissions found for an account.
type Permissions struct {
	List []Permission
	More bool // there are more than those listed
	At   time.Time
}

type permissionsView struct {
	chainPart
	List    []permissionLine
	Summary string // shown at the top of the page; "" without permissions
	Danger  bool   // the account can lose something through one of them
	More    bool
	Acts    bool // the account is in use and this tab is active
}

// summary counts the dangerous permissions, or all permissions if none is dangerous.
func summary(list []Permission) string {
	dangers := 0
	for _, p := range list {
		if p.Danger {
			dangers++
		}
	}
	switch {
	case dangers > 0:
		return "Others may take: " + words.Plural(dangers, "permission", "permissions")
	case len(list) > 0:
		return "Others may take nothing now: " + words.Plural(len(list), "permission", "permissions")
	}
	return ""
}

type permissionLine struct {
	Label, Says, Ends string
	Ask               string
	Danger            bool
	Explorer          string        // on mainnet, the explorer page of what cannot be revoked here
	End               *listing.Wish // the button's request; nil if it cannot be revoked here
}

// permissionWords describe each kind and how it ends.
var permissionWords = map[string]permissionLine{
	"allowance": {Label: "Allowance", Ends: "You can end it: ask your AI client for the review, read it, and sign. What " +
		"is taken before that is gone. Say:"},
	"manager_cap": {Label: "Right to a balance manager",
		Ends: "You can end it: ask your AI client for the review, read it, and sign. Say:"},
	"deepbook_account": {Label: "DeepBook trading account",
		Ends: "It exists, and cannot be ended or emptied here yet. DeepBook’s own apps open it."},
	"deepbook_session": {Label: "Trading session",
		Ends: "It cannot be ended here yet. The app that made it can end it, and every session " +
			"ends by itself within 30 days."},
	"alias": {Label: "Another key", Ends: "This program cannot end it, because how the chain’s functions for it are " +
		"called is not established here. Where the keys of " +
		"this account were set, this one can be removed. Until then only another account is safe from it."},
}

// permissions lists what lets others act without the account's wallet.
func (p *page) permissions(c *web.Call) error {
	_, owner, ctx, stop, err := asking[struct{}](c)
	defer stop()
	if err != nil {
		return err
	}
	found, err := p.OnChain.Permissions(ctx, owner)
	if err != nil {
		return web.Fragment(c, "permissions", permissionsView{chainPart: failed("What others may do", err)})
	}
	v := permissionsView{chainPart: chainPart{At: words.At(found.At)}, More: found.More, Summary: summary(found.List)}
	if v.Acts, err = acts(c); err != nil {
		return err
	}
	v.Announce = "Without your wallet: " + words.Plural(len(found.List), "permission found.", "permissions found.")
	for _, p := range found.List {
		l := permissionWords[p.Kind]
		l.Says, l.Danger, l.Ask = words.Whole(p.Says), p.Danger, words.Whole(p.Ask)
		if l.Ask == "" && !p.ID.IsZero() {
			l.Explorer = words.ExplorerObject(c.Network(), p.ID)
		}
		if l.Ask != "" && !p.ID.IsZero() {
			l.End = &listing.Wish{Do: "end", Permission: p.ID.String()}
			if !p.Manager.IsZero() {
				l.End.Manager = p.Manager.String()
			}
		}
		v.Danger = v.Danger || l.Danger
		v.List = append(v.List, l)
	}
	return web.Fragment(c, "permissions", v)
}
