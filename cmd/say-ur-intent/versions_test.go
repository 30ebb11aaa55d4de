package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/store"
)

// lineages is a node that lists versions of packages.
type lineages struct {
	newer sui.ObjectID // the only package with a newer version
	fails error
}

func (l lineages) Versions(_ context.Context, id sui.ObjectID) ([]sui.PackageVersion, error) {
	list := []sui.PackageVersion{{Published: id, Version: 3}}
	if id == l.newer {
		list = append(list, sui.PackageVersion{Published: sui.ObjectID{7}, Version: 4})
	}
	return list, l.fails
}

func (l lineages) Functions(_ context.Context, id sui.ObjectID) (sui.Interface, error) {
	return sui.Interface{Package: id}, l.fails
}

// TestDoctorVersions checks that doctor reports pins with newer versions.
func TestDoctorVersions(t *testing.T) {
	pin := versions.Pins()[0]
	for name, c := range map[string]struct {
		node  lineages
		level string
		says  string
	}{
		"newest": {lineages{}, levelOK, "are the newest on the chain"},
		"behind": {lineages{newer: pin.Published}, levelWarn, pin.Name + " 4 (known: 3)"},
		"silent": {lineages{fails: fault.New(fault.ProviderUnavailable, "Away.")}, levelWarn, "Not compared: Away."},
		"no listing": {lineages{fails: fault.New(fault.ProviderRefused, "No.").With("code", "Unimplemented")}, levelOK,
			"does not list versions"},
	} {
		d := &doctor{}
		d.versions(t.Context(), c.node)
		if f := d.findings[0]; f.Level != c.level || !strings.Contains(f.What, c.says) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// noted is a log that keeps its events.
type noted struct{ list []bus.Event }

func (n *noted) Append(_ context.Context, list ...bus.Event) ([]bus.Appended, error) {
	n.list = append(n.list, list...)
	return nil, nil
}

// TestVersionIsShownOnce checks that the user is notified of a newer version once, even after a
// restart.
func TestVersionIsShownOnce(t *testing.T) {
	db, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	log, node := &noted{}, lineages{newer: versions.Pins()[0].Published}
	for range 3 {
		if err := tellVersions(t.Context(), node, settings.New(settings.Config{Store: db}), log); err != nil {
			t.Fatal(err)
		}
	}
	if len(log.list) != 1 || !strings.Contains(string(log.list[0].Payload), versions.Pins()[0].Name+
		" has a newer version on the chain") {
		t.Errorf("%+v", log.list)
	}
	node.fails = errors.New("away")
	if err := tellVersions(t.Context(), node, settings.New(settings.Config{Store: db}), log); err == nil ||
		len(log.list) != 1 {
		t.Errorf("%v", err)
	}
}

// objects is a node with a fixed list of objects.
type objects struct{ list []sui.Object }

func (o objects) Present(context.Context, []sui.ObjectID) ([]sui.Object, error) { return o.list, nil }

// TestDoctorProtocols checks that doctor compares the objects of described protocols with the
// chain, and lists what an object's type does not confirm.
func TestDoctorProtocols(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	d := &doctor{}
	d.protocols(t.Context(), h.Node)
	if f := d.findings[0]; f.Level != levelOK || !strings.Contains(f.What, "Not confirmed: the pinned values of Suilend USDC.") {
		t.Errorf("%+v", f)
	}
	d = &doctor{}
	d.protocols(t.Context(), objects{})
	if f := d.findings[0]; f.Level != levelWarn || !strings.Contains(f.What, "does not exist") {
		t.Errorf("%+v", f)
	}
}
