package request

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
)

// uses checks a step's reference to an object that an earlier step creates. It then replaces the
// reference in the intent with a placeholder, because each step is read independently.
func (s *Step) uses(req *Request, in *plan.Intent) error {
	of := in.ManagerOf
	//mutant:never `!req.Steps[of-1].Makes` ./internal/request TestFirstOrderVariations
	if of < 0 || of > len(req.Steps) || of > 0 && !req.Steps[of-1].Makes {
		return fault.New(fault.InputInvalid, "Step %d does not create a balance manager that this one can use.", of).With("field",
			"managerOf")
	}
	//mutant:never ./internal/request TestFirstOrderVariations
	if of > 0 && in.Manager != "" {
		return fault.New(fault.InputInvalid, "Pass either manager or managerOf, not both.").With("field", "managerOf")
	}
	if of > 0 {
		in.ManagerOf, in.Manager = 0, plan.Made(1).String() // placeholder for the unknown ID
	}
	return nil
}

// made returns the ID of the object that an earlier step created, according to its receipt, or "".
func (s *Service) made(ctx context.Context, from Step) (string, error) {
	r, err := s.c.Store.Review(ctx, from.Review)
	if err != nil || r.Execution == nil || r.Execution.Receipt == nil || len(r.Execution.Receipt.Made) != 1 {
		return "", err
	}
	return r.Execution.Receipt.Made[0].String(), nil
}
