package settings_test

import (
	"context"
	"errors"
	"testing"
)

func TestMaterial(t *testing.T) {
	s, _ := service(t)
	on := func() bool {
		t.Helper()
		is, err := s.Material(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if on() {
		t.Fatal("it is on by default")
	}
	asked, err := s.SetMaterial(t.Context(), true, "")
	if err != nil || asked.Done || asked.Confirm == "" || len(asked.Changes) != 1 || !asked.Changes[0].Looser || on() {
		t.Fatalf("%+v %v", asked, err)
	}
	refused := errors.New("read only")
	if _, err := s.SetMaterial(t.Context(), true, asked.Confirm,
		func(context.Context) error { return refused }); !errors.Is(err, refused) || on() {
		t.Error(err)
	}
	if out, err := s.SetMaterial(t.Context(), true, asked.Confirm); err != nil || !out.Done || !on() {
		t.Errorf("%+v %v", out, err)
	}
	if out, err := s.SetMaterial(t.Context(), false, ""); err != nil || !out.Done || on() {
		t.Errorf("to take none any more needs no second word: %+v %v", out, err)
	}
}
