package plan_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestRefuse(t *testing.T) {
	stop := &plan.Stop{Reason: plan.AmountMismatch, Check: plan.Check{ID: "x"}}
	s := plan.NewStep(plan.Plan{}, plan.Intent{}, sui.Address{}, time.Now, time.Second)
	if err := s.Refuse(stop); !errors.Is(err, error(stop)) || len(s.Looked()) != 0 {
		t.Errorf("a review went on past %v", stop)
	}
	s.Look()
	broken := errors.New("the node is silent")
	if err := s.Refuse(broken); !errors.Is(err, broken) {
		t.Errorf("a first look went on past %v", broken)
	}
	if err := s.Refuse(stop); err != nil || len(s.Looked()) != 1 {
		t.Errorf("%v %v", err, s.Looked())
	}
}
