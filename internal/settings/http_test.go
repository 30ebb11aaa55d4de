package settings_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sayurintent/sayurintent/internal/settings"
)

func TestHTTP(t *testing.T) {
	s, _ := service(t)
	on := func() bool {
		t.Helper()
		is, err := s.On(t.Context(), settings.HTTP)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if on() {
		t.Fatal("it is on by default")
	}
	asked, err := s.Turn(t.Context(), settings.HTTP, settings.On, "")
	if err != nil || asked.Done || asked.Confirm == "" || on() {
		t.Fatalf("%+v %v", asked, err)
	}
	if other, err := s.Turn(t.Context(), settings.Material, settings.On, asked.Confirm); err != nil || other.Done {
		t.Errorf("the word for one setting allows another: %+v %v", other, err)
	}
	refused := errors.New("read only")
	if _, err := s.Turn(t.Context(), settings.HTTP, settings.On, asked.Confirm,
		func(context.Context) error { return refused }); !errors.Is(err, refused) || on() {
		t.Error(err)
	}
	if out, err := s.Turn(t.Context(), settings.HTTP, settings.On, asked.Confirm); err != nil || !out.Done || !on() {
		t.Errorf("%+v %v", out, err)
	}
	if out, err := s.Turn(t.Context(), settings.HTTP, settings.Off, ""); err != nil || !out.Done || on() {
		t.Errorf("turning it off needs no second word: %+v %v", out, err)
	}
}
