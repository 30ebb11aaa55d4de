package web

import "time"

// Permission is what lets somebody act without the account's wallet. Kind is allowance,
// manager_cap or alias; Says is all of it in words.
type Permission struct {
	Kind, Says string
	Danger     bool // something can be lost by it
}

// Permissions is what was found of an account's.
type Permissions struct {
	List []Permission
	More bool // there are more than are told
	At   time.Time
}

type permissionsView struct {
	chainPart
	List []permissionLine
	More bool
}

type permissionLine struct {
	Label, Says, Ends string
	Danger            bool
}

// permissionWords name the kinds, and say how one ends.
var permissionWords = map[string]permissionLine{
	"allowance":   {Label: "Allowance", Ends: "It ends earlier when this account calls allowance::revoke. What is taken before that is gone."},
	"manager_cap": {Label: "Right to a balance manager", Ends: "It ends when this account calls revoke_trade_cap with the cap."},
	"alias":       {Label: "Another key", Ends: "It ends when this account calls address_alias::remove."},
}

// accountPermissions lists what lets others act without the account's wallet.
func (s *Server) accountPermissions(c *call) error {
	_, owner, ctx, stop, err := asking[struct{}](c)
	defer stop()
	if err != nil {
		return err
	}
	found, err := s.OnChain.Permissions(ctx, owner)
	if err != nil {
		return s.fragment(c, "permissions", permissionsView{chainPart: failed("What others may do", err)})
	}
	v := permissionsView{chainPart: chainPart{At: at(found.At)}, More: found.More}
	v.Announce = "Without your wallet: " + plural(len(found.List), "permission found.", "permissions found.")
	for _, p := range found.List {
		l := permissionWords[p.Kind]
		l.Says, l.Danger = whole(p.Says), p.Danger
		v.List = append(v.List, l)
	}
	return s.fragment(c, "permissions", v)
}
