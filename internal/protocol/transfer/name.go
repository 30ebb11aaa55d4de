package transfer

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/suins"
)

const checkName = prefix + "_name"

// named resolves the recipient's name again, and stops the review if the name now leads to another
// address. A second node does the same with its own adapter, and the review compares the results.
func (a *Adapter) named(ctx context.Context, d *plan.Step) error {
	in := d.Intent
	if in.RecipientName == "" {
		return nil
	}
	found, err := a.names.Resolve(ctx, suins.Name(in.RecipientName))
	if fault.As(err).Code == fault.InputInvalid {
		return changed(fault.As(err).Text)
	}
	if err != nil {
		return err
	}
	d.Read(plan.Reading{Name: "record of the name " + in.RecipientName, Value: found.Target.String() + " of " +
		found.Holder.String()})
	//mutant:never ./review/gate TestPaymentByName
	if now := found.Differs(in.Recipient, in.RecipientNFT); now != "" {
		return changed(now)
	}
	d.Check(plan.Pass(plan.SourceNetwork, checkName, "Name", "By its record on chain "+in.RecipientName+
		" leads to this address; it is registered until "+
		found.Expires.Format(time.DateOnly)+". The owner of a name can change its address."))
	return nil
}

func changed(what string) *plan.Stop {
	return &plan.Stop{Reason: plan.WalletMismatch, Check: plan.Fail(plan.SourceNetwork, checkName, "Name", what,
		"Ask the recipient for the complete address, from another source than this name, and prepare a new review.")}
}
