package sui

import "fmt"

// A permission allows others to take from an account, or act for it, without asking the account's
// wallet again. This file describes the calls that grant and revoke permissions. Sentences state only
// what the bytes contain. The effect of a framework (0x2) call is known by its fixed id. For any other
// package, the sentence names the package.

// framework is the package of the chain's own types and functions.
var framework = lowID(2)

// permission is the effect of a command on the sender's permissions.
type permission struct {
	Text  string // the sentence, as a command's text
	Shout bool   // whether someone gains or uses a permission, which adds a warning
}

// permissionOf reads a call that grants, uses or revokes a permission. It returns false for every
// other command.
func (s *speaker) permissionOf(m MoveCall) (permission, bool) {
	switch {
	//mutant:always ./internal/sui TestPermissionsByLookAlikes
	case m.Package == framework && m.Module == "allowance":
		return s.allowanceCall(m)
	//mutant:always ./internal/sui TestPermissionsByLookAlikes
	case m.Package == framework && m.Module == "address_alias":
		return s.aliasCall(m)
	case m.Module == "balance_manager":
		return s.managerCall(m)
	case m.Module == "sessions":
		return s.sessionCall(m)
	}
	return permission{}, false
}

// aliasCall reads a call that changes the keys that may sign for the sender.
func (s *speaker) aliasCall(m MoveCall) (permission, bool) {
	const power = " A key of an alias signs for the sender in everything, " +
		"without any limit or end, until it is removed."
	switch m.Function {
	case "enable", "initialize":
		return permission{"Set up aliases for the sender's address: " +
			"later calls can let other keys sign for it.", true}, true
	case "add":
		return permission{"Let " + s.addressAt(m, 1) + " sign for the owner of the alias list, " +
			"as fully as the owner's key." + power + " Remove it with address_alias::remove.", true}, true
	case "remove":
		return permission{"End the alias " + s.addressAt(m, 1) +
			": its key can no longer sign for this account.", false}, true
	case "replace_all":
		return permission{"Replace every key that may sign for the owner of the alias list by " +
			s.addressesAt(m, 1) + "." + power + " If the account's own address is not among them, " +
			"its own key can no longer sign.", true}, true
	}
	return permission{}, false
}

// managerPowers describes what the holder of a balance manager's cap can do.
var managerPowers = map[string]struct{ name, power string }{
	"mint_trade_cap": {"TradeCap", "trade everything in it, now and later, at any price, without limit " +
		"and without an end; bad trades can lose all of it"},
	"mint_withdraw_cap": {"WithdrawCap", "take everything out of it, now and later, without limit and without an end"},
	"mint_deposit_cap":  {"DepositCap", "put coins into it, and take nothing"},
}

// placeOf describes the object that a permission is about, with the called package, because only the
// package determines the permission's meaning.
func (s *speaker) placeOf(m MoveCall, what string) string {
	return fmt.Sprintf("the %s %s (package %s, as DeepBook's function of this name)",
		what, s.objectAt(m, 0), m.Package.Short())
}

// managerCall reads a call that creates or revokes a cap of a balance manager. The text names the
// package, because it is true only of DeepBook's own package.
func (s *speaker) managerCall(m MoveCall) (permission, bool) {
	where := s.placeOf(m, "balance manager")
	if p, ok := managerPowers[m.Function]; ok {
		text := fmt.Sprintf("Make a %s of %s. Whoever holds it can %s. It ends when the manager's owner calls "+
			"revoke_trade_cap with the cap's id.", p.name, where, p.power)
		//mutant:never ./internal/sui TestPermissionSentences/deposit cap
		if m.Function == "mint_deposit_cap" {
			return permission{text, false}, true
		}
		return permission{text, true}, true
	}
	if m.Function == "revoke_trade_cap" {
		return permission{fmt.Sprintf("End the cap %s of %s: its holder can no longer do anything with it.",
			s.addressAt(m, 1), where), false}, true
	}
	return permission{}, false
}

// sessionCall reads a call that lets a key trade for an account, or revokes that permission.
func (s *speaker) sessionCall(m MoveCall) (permission, bool) {
	where := s.placeOf(m, "trading account")
	switch m.Function {
	case "authorize_session":
		until := "for a time that cannot be read from the bytes"
		if ms, ok := s.u64At(m, 3); ok {
			until = "for " + span(ms) + " from when it is executed"
		}
		return permission{fmt.Sprintf("Let %s trade with everything in %s, %s, without a limit of amount. It ends then, "+
			"or by revoke_session.", s.addressAt(m, 2), where, until), true}, true
	case "revoke_session":
		return permission{fmt.Sprintf("End the permission of %s to trade with %s. The chain does not show whether "+
			"there was such a permission.", s.addressAt(m, 1), where), false}, true
	}
	return permission{}, false
}

// pureAt returns argument i of a call if it is a pure input.
func (s *speaker) pureAt(m MoveCall, i int) (PureInput, bool) {
	if i >= len(m.Arguments) {
		return PureInput{}, false
	}
	a := m.Arguments[i]
	if a.Kind != ArgInput || int(a.Index) >= len(s.inputs) {
		return PureInput{}, false
	}
	p, ok := s.inputs[a.Index].(PureInput)
	return p, ok
}

// unread replaces an address that the bytes do not contain.
const unread = "an address that cannot be read from the bytes"

// addressAt returns argument i as a full address.
func (s *speaker) addressAt(m MoveCall, i int) string {
	if p, ok := s.pureAt(m, i); ok {
		if a, ok := p.Address(); ok {
			return a.String()
		}
	}
	return unread
}

// maxAliases is the chain's limit on aliases per account.
const maxAliases = 8

func (s *speaker) addressesAt(m MoveCall, i int) string {
	p, ok := s.pureAt(m, i)
	if !ok || len(p.Bytes) > 1+maxAliases*len(Address{}) {
		return unread
	}
	c := &bcs{reading: true, in: p.Bytes}
	var list []Address
	vector(c, &list, len(Address{}), "the aliases", func(a *Address) { c.fixed(a[:], "an alias") })
	if c.finish() != nil {
		return unread
	}
	return addressList(list)
}

func addressList(list []Address) string {
	if len(list) == 0 {
		return "nobody"
	}
	text := ""
	for i, a := range list {
		if i > 0 {
			text += ", "
		}
		text += a.String()
	}
	return text
}

// objectAt returns the id of the object that is argument i.
func (s *speaker) objectAt(m MoveCall, i int) string {
	if i < len(m.Arguments) {
		a := m.Arguments[i]
		if a.Kind == ArgInput && int(a.Index) < len(s.inputs) {
			switch v := s.inputs[a.Index].(type) {
			case SharedInput:
				return v.ID.Short()
			case OwnedInput:
				return v.Ref.ID.Short()
			}
		}
		if a.Kind != ArgInput && a.Kind != ArgGasCoin {
			return "that " + s.argument(a) + " is"
		}
	}
	return "that cannot be read from the bytes"
}

func (s *speaker) u64At(m MoveCall, i int) (uint64, bool) {
	p, ok := s.pureAt(m, i)
	if !ok {
		return 0, false
	}
	return p.U64()
}

// permissionWarnings returns the warnings for calls that grant or use a permission. The list is never
// nil, so that its JSON form is [].
func (s *speaker) permissionWarnings() []string {
	out := []string{}
	for n, c := range s.commands {
		if m, ok := c.(MoveCall); ok {
			if p, ok := s.permissionOf(m); ok && p.Shout {
				out = append(out, fmt.Sprintf("Command #%d: %s", n, p.Text))
			}
		}
	}
	return out
}
