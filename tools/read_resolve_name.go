package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// resolver resolves SuiNS names through a node. It is implemented by suins.Resolver.
type resolver interface {
	Resolve(ctx context.Context, n suins.Name) (suins.Found, error)
	Chosen(ctx context.Context, a sui.Address) (suins.Found, bool, error)
}

type resolveIn struct {
	Name    bookText      `json:"name,omitempty" description:"such as alice.sui or @alice"`
	Address publicAddress `json:"address,omitempty" description:"instead of name"`
}

type resolveOut struct {
	Network string        `json:"network" description:"network of this server"`
	Found   bool          `json:"found" description:"whether a name resolves to an address"`
	Name    string        `json:"name,omitempty" description:"in its one spelling"`
	Address *sui.Address  `json:"address,omitempty" description:"its current address; its holder can change it"`
	Holder  *sui.ObjectID `json:"registrationId,omitempty" description:"a different one means a new registration"`
	Expires *time.Time    `json:"expiresAt,omitempty" description:"when the registration ends, UTC"`
	Reason  string        `json:"reason,omitempty" description:"why nothing was found"`

	Source    evidence.Source `json:"source" description:"where the facts came from"`
	FetchedAt time.Time       `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// readResolveName returns the address of a name, or the name that an address has chosen.
func readResolveName(r resolver, now func() time.Time, network string) tool.Tool {
	notWho := evidence.Claims{evidence.RecipientIdentity, evidence.SigningData}
	return tool.Declare(tool.Spec[resolveIn, resolveOut]{
		Name:      "read.resolve_name",
		Title:     "Resolve SuiNS name",
		Summary:   "Resolves a SuiNS name to an address, or the reverse. Payments accept names.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.ReadsChain,
		Toolset:   toolsetActions,
		Errors:    []fault.Code{fault.ProviderUnavailable, fault.ProviderRefused},
		Cases: []tool.Case[resolveOut]{
			{Name: "found", When: func(o resolveOut) bool { return o.Found },
				Use: evidence.Use{Can: evidence.Claims{evidence.NameRecord}, Cannot: notWho,
					Answer: []string{"name", "address", "expiresAt"}, Diagnostic: []string{"registrationId", "source", "fetchedAt"}}},
			{Name: "not found", Use: evidence.Use{Can: evidence.Claims{evidence.NameRecord}, Cannot: notWho,
				Answer: []string{"found", "reason"}, Diagnostic: []string{"source", "fetchedAt"}}},
		},
		Examples: []tool.Example{
			{Name: "a name", Given: givenNothing, In: `{"name":"@alice"}`, Case: "found"},
			{Name: "nobody's", Given: givenNothing, In: `{"name":"nobody.sui"}`, Case: "not found"},
			{Name: "an address without a name", Given: givenNothing,
				In: `{"address":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}`, Case: "not found"},
			{Name: "no name of SuiNS", Given: givenNothing, In: `{"name":"alice.eth"}`, Fault: fault.InputInvalid},
			{Name: "node down", Given: givenNodeDown, In: `{"name":"@alice"}`, Fault: fault.ProviderUnavailable},
			{Name: "node refuses", Given: givenNoObjects, In: `{"name":"@alice"}`, Fault: fault.ProviderRefused},
			{Name: "both", Given: givenNothing,
				In:    `{"name":"alice.sui","address":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}`,
				Fault: fault.InputInvalid},
		},
		Run: func(c tool.Call, in resolveIn) (resolveOut, error) {
			found, err := resolve(c.Context(), r, in)
			out := resolveOut{Network: network, FetchedAt: readAt(now()), Source: evidence.Source{Kind: "sui_grpc_read",
				Method: "GetObject of the SuiNS record"}}
			if f := fault.As(err); err != nil && f.Detail.Get("field") == "intent.recipientName" {
				out.Reason, err = f.Text, nil
			}
			if out.Found = !found.Target.IsZero(); out.Found {
				expires := found.Expires
				out.Name, out.Address, out.Holder, out.Expires = string(found.Name), &found.Target, &found.Holder, &expires
			}
			return out, err
		},
	})
}

// resolve resolves either the name or the address in the arguments.
func resolve(ctx context.Context, r resolver, in resolveIn) (suins.Found, error) {
	if (in.Name == "") == (in.Address == "") {
		return suins.Found{}, fault.New(fault.InputInvalid, "Pass a name or an address.").With("field", "name")
	}
	if in.Name != "" {
		n, err := suins.Parse(string(in.Name))
		if err != nil {
			return suins.Found{}, named("name", err)
		}
		return r.Resolve(ctx, n)
	}
	a, err := sui.ParseAccount(string(in.Address))
	if err != nil {
		return suins.Found{}, named("address", err)
	}
	found, ok, err := r.Chosen(ctx, a)
	if err == nil && !ok {
		err = fault.New(fault.InputInvalid, "The address has no name that resolves back to it.").With("field",
			"intent.recipientName")
	}
	return found, err
}
