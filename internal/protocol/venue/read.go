package venue

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Call read back: Decoded is what the calls of a venue do with what is paid.
type Decoded struct {
	Facts plan.StepFacts  // all but Sends, with the sentences of these calls
	Out   readback.Result // what comes out
	Back  []sui.Argument  // what the calls give back, what comes out included, in its order
}

// Read reads a swap in three parts. The first merges coins and splits one amount, or takes
// the result of an earlier step. The second is the venue's own calls, which decode reads. The
// last sends everything that they give back to one address, except what a later step takes.
func Read(r *readback.Reader, decode func(paid readback.Funding) (Decoded, error)) (plan.StepFacts, error) {
	paid, err := r.Funded()
	if err != nil {
		return plan.StepFacts{}, err
	}
	d, err := decode(paid)
	if err != nil {
		return plan.StepFacts{}, err
	}
	f := d.Facts
	if f.Sends, err = r.SentOrKept(d.Out, d.Back...); err != nil {
		return plan.StepFacts{}, err
	}
	and, rest := "", ""
	if len(d.Back) > 1 {
		and, rest = ", and everything unspent,", " Send everything unspent to "+f.Sends.String()+"."
	}
	last := "Send what comes out" + and + " to " + f.Sends.String() + "."
	if _, kept := r.Kept(); kept {
		last = "Keep what comes out for a later step." + rest
	}
	f.Commands = append(f.Commands, last)
	return f, nil
}
