package transfer

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/review/plan"
)

const checkName = prefix + "_name"

// named reads again where the recipient's name leads, and stops where that is another
// address than the one the review is of. A second node is asked the same by its own
// adapter, and the two readings are compared.
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
		found.Expires.Format(time.DateOnly)+". Whoever holds a name can let it lead elsewhere."))
	return nil
}

func changed(what string) *plan.Stop {
	return &plan.Stop{Reason: plan.WalletMismatch, Check: plan.Fail(plan.SourceNetwork, checkName, "Name", what,
		"Ask the recipient for the whole address, from another source than this name, and prepare a new review.")}
}
