package settings_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestHardware(t *testing.T) {
	s, store := service(t)
	a, b := sui.MustAddress("0xa1"), sui.MustAddress("0xb0b")
	is := func(account sui.Address) bool {
		t.Helper()
		on, err := s.SignsOnDevice(t.Context(), account)
		if err != nil {
			t.Fatal(err)
		}
		return on
	}
	set := func(account sui.Address, on bool) {
		t.Helper()
		if err := s.SetHardware(t.Context(), account, on, nil); err != nil || is(account) != on {
			t.Fatalf("%s: %v %v", account, is(account), err)
		}
	}
	set(a, false)
	set(b, true)
	set(a, true)
	set(a, true)
	if stored, err := store.Settings(t.Context()); err != nil || len(stored.Hardware) != 2 || stored.Check() != nil {
		t.Errorf("%+v, %v", stored.Hardware, err)
	}
	set(b, false)
	if !is(a) {
		t.Error("the mark of another account is gone")
	}
	refused := errors.New("read only")
	err := s.SetHardware(t.Context(), a, false, func(context.Context) error { return refused })
	if !errors.Is(err, refused) || !is(a) {
		t.Error(err)
	}
	set(a, false)
	if stored, err := store.Settings(t.Context()); err != nil || stored.Hardware != nil {
		t.Errorf("%+v, %v", stored.Hardware, err)
	}
	for name, list := range map[string]settings.Hardware{"twice": {a, a}, "unordered": {b, a},
		"too many": make(settings.Hardware, 101)} {
		if list.Check() == nil {
			t.Errorf("a list that is %s is taken", name)
		}
	}
}
