package settings_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestTellOnce(t *testing.T) {
	s, store := service(t)
	told := map[string]int{}
	tell := func(key string) {
		t.Helper()
		if err := s.ShowOnce(t.Context(), key, func(context.Context) error { told[key]++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	broken := errors.New("no log")
	if err := s.ShowOnce(t.Context(), "a", func(context.Context) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	tell("a")
	tell("a")
	tell("b")
	if told["a"] != 1 || told["b"] != 1 {
		t.Errorf("%v", told)
	}
	for i := range 250 {
		tell(fmt.Sprint(i))
	}
	if stored, err := store.Settings(t.Context()); err != nil || len(stored.Shown) != 200 || stored.Shown[199] != "249" {
		t.Errorf("%d, %v", len(stored.Shown), err)
	}
}
