package store_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

func limited() settings.Stored {
	return settings.Stored{Addresses: [settings.Count]string{settings.GRPC: "https://node.example:443"},
		Allowance: policy.Allowance{
			PerTransaction: []policy.CoinLimit{{CoinType: sui.SUI, Most: 5_000_000_000}},
			Protocols:      []string{"deepbook"},
			Recipients:     []sui.Address{sui.MustAddress("0xa11ce")},
		}}
}

func TestSettings(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	hub := &events.Hub{}
	db := open(t, dir, hub, newClock().Now)
	ctx := t.Context()
	if s, err := db.Settings(ctx); err != nil || !reflect.DeepEqual(s, settings.Stored{}) {
		t.Fatalf("a new store has settings %+v, %v", s, err)
	}
	watch := hub.Watch(events.Subject{Kind: events.Settings})
	defer watch.Close()
	set := func(to settings.Stored) {
		t.Helper()
		if err := db.ChangeSettings(ctx, func(s *settings.Stored) error { *s = to; return nil }); err != nil {
			t.Fatal(err)
		}
		if s, err := db.Settings(ctx); err != nil || !reflect.DeepEqual(s, to) {
			t.Fatalf("stored %+v, want %+v, %v", s, to, err)
		}
	}
	set(limited())
	select {
	case <-watch.C:
	default:
		t.Error("a changed setting woke nobody")
	}
	set(limited()) // nothing changed, so nobody is woken
	select {
	case <-watch.C:
		t.Error("an unchanged setting woke somebody")
	default:
	}
	no := errors.New("no")
	err := db.ChangeSettings(ctx, func(s *settings.Stored) error {
		s.Allowance.Protocols[0] = "changed"
		return no
	})
	if s, _ := db.Settings(ctx); !errors.Is(err, no) || !reflect.DeepEqual(s, limited()) {
		t.Errorf("a refused change: %v, stored %+v", err, s)
	}
	set(settings.Stored{Addresses: [settings.Count]string{settings.GraphQL: "https://graph.example"}})
	entries, err := db.JournalSince(ctx, events.Settings, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.To+" "+e.What)
	}
	want := []string{"sui_grpc_url set", "allowance set", "sui_grpc_url restored", "sui_graphql_url set",
		"allowance restored"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("journal %q, want %q", got, want)
	}

	for name, spoil := range map[string]string{
		"damaged": `UPDATE settings SET key = 'allowance', value_json = '[1]'`,
		"unknown": `UPDATE settings SET key = 'unheard_of'`,
	} {
		if _, err := raw(t, dir).Exec(spoil); err != nil {
			t.Fatal(err)
		}
		if s, err := db.Settings(ctx); err == nil || !reflect.DeepEqual(s, settings.Stored{}) {
			t.Errorf("%s: a setting that cannot be read gave %+v, %v", name, s, err)
		}
	}
}
