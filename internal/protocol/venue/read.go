package venue

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Decoded is the result of reading a venue's own calls.
type Decoded struct {
	Facts plan.StepFacts  // everything except Sends, with the sentences for these calls
	Out   readback.Result // the coin that the swap pays out
	Back  []sui.Argument  // all coins that the calls return, including Out, in order
}

// Read reads a swap in three parts. The first merges coins and splits off one amount, or takes the
// result of an earlier step. The second is the venue's own calls, which decode reads. The last sends
// all returned coins to one address, except one that a later step takes.
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
