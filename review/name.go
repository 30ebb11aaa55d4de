package review

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// named resolves a recipient's name and puts the address into the intent. It overwrites
// registration data that came from the client.
func (s *Service) named(ctx context.Context, in plan.Intent) (plan.Intent, error) {
	in.RecipientNFT = ""
	if in.RecipientName == "" {
		return in, nil
	}
	const field = "intent.recipientName"
	n, err := suins.Parse(in.RecipientName)
	switch {
	case err != nil:
		return in, plan.AtField(field, err)
	//mutant:never ./review/gate TestPaymentByName
	case in.Recipient != "":
		return in, fault.New(fault.InputInvalid, "A recipient is an address or a name, not both.").With("field", field)
	case s.c.Names == nil:
		return in, fault.New(fault.InputInvalid, "Names are not read here. Give the recipient's whole address.").With("field",
			field)
	}
	found, err := s.c.Names.Resolve(ctx, n)
	if err != nil {
		return in, err
	}
	in.RecipientName, in.Recipient, in.RecipientNFT = string(n), found.Target.String(), found.Holder.String()
	return in, nil
}
