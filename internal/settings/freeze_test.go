package settings_test

import "testing"

// TestFreeze checks that pausing takes one call and resuming two.
func TestFreeze(t *testing.T) {
	s, _ := service(t)
	frozen := func() bool {
		t.Helper()
		on, err := s.Frozen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return on
	}
	if frozen() {
		t.Error("a new machine is stopped")
	}
	for range 2 { // repeating it changes nothing
		if out, err := s.Freeze(t.Context()); err != nil || !out.Done || !frozen() {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	asked, err := s.Lift(t.Context(), "")
	if err != nil || asked.Done || asked.Confirm == "" || len(asked.Changes) != 1 || !asked.Changes[0].Looser ||
		!frozen() {
		t.Fatalf("%+v, %v", asked, err)
	}
	if out, err := s.Lift(t.Context(), "another"); err != nil || out.Done || !frozen() {
		t.Errorf("lifted by another word: %+v, %v", out, err)
	}
	if out, err := s.Lift(t.Context(), asked.Confirm); err != nil || !out.Done || frozen() {
		t.Errorf("%+v, %v", out, err)
	}
}
