package settings_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sayurintent/sayurintent/internal/settings"
)

func TestMaterial(t *testing.T) {
	s, _ := service(t)
	on := func() bool {
		t.Helper()
		is, err := s.On(t.Context(), settings.Material)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if on() {
		t.Fatal("it is on by default")
	}
	asked, err := s.Turn(t.Context(), settings.Material, settings.On, "")
	if err != nil || asked.Done || asked.Confirm == "" || len(asked.Changes) != 1 || !asked.Changes[0].Looser || on() {
		t.Fatalf("%+v %v", asked, err)
	}
	refused := errors.New("read only")
	if _, err := s.Turn(t.Context(), settings.Material, settings.On, asked.Confirm,
		func(context.Context) error { return refused }); !errors.Is(err, refused) || on() {
		t.Error(err)
	}
	if out, err := s.Turn(t.Context(), settings.Material, settings.On, asked.Confirm); err != nil || !out.Done || !on() {
		t.Errorf("%+v %v", out, err)
	}
	if out, err := s.Turn(t.Context(), settings.Material, settings.Off, ""); err != nil || !out.Done || on() {
		t.Errorf("to take none any more needs no second word: %+v %v", out, err)
	}
}
