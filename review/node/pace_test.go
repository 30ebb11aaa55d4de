package node

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Epochs of mainnet since the release.
func TestPace(t *testing.T) {
	p := MainnetPace()
	day := 24 * time.Hour
	at := p.At.Add(285*day + 11*time.Hour)
	if got := p.latest(Seen{}, at); got != 1034+1+285 {
		t.Errorf("at most %d", got)
	}
	for number, sound := range map[uint64]bool{1033: false, 1034: true, 1319: true, 1320: true, 1321: false,
		1_000_000: false} {
		if err := p.judge(Seen{}, sui.Epoch{Number: number, GasPrice: 500}, at); (err == nil) != sound {
			t.Errorf("epoch %d: %v", number, err)
		}
	}
	if p.judge(Seen{}, sui.Epoch{Number: 1319, GasPrice: 10_001}, at) == nil || p.judge(Seen{}, sui.Epoch{Number: 1319,
		GasPrice: 10_000}, at) != nil {
		t.Error("the first gas price")
	}
	// A node at the limit of the tolerance never gains more than one epoch, however often it
	// answers.
	s, now := Seen{}, at
	for range 500 {
		s = p.believe(s, p.latest(s, now), now)
		now = now.Add(time.Hour)
	}
	if passed := uint64(now.Sub(at) / day); s.Epoch > 1320+passed+1 {
		t.Errorf("500 answers brought it to %d", s.Epoch)
	}
	// An honest node that is asked at any time of its epochs is believed.
	s = Seen{}
	turn := p.At.Add(17 * time.Hour)
	for now := at; now.Before(at.Add(40 * day)); now = now.Add(7 * time.Hour) {
		number := 1034 + uint64(now.Sub(turn)/day)
		if err := p.judge(s, sui.Epoch{Number: number, GasPrice: 500}, now); err != nil {
			t.Fatalf("%s: %v", now, err)
		}
		s = p.believe(s, number, now)
	}
	// A value written by a clock years ahead does not block anybody for years.
	s = Seen{Epoch: 1319, Since: at.Add(1000 * day)}
	if got := p.latest(s, at); got != 1320 {
		t.Errorf("after a wrong clock at most %d", got)
	}
	if s = p.believe(s, 1320, at); s.Since.After(at.Add(day)) {
		t.Errorf("it stays wrong: %s", s.Since)
	}
}

// Signed epochs replace believed ones.
func TestSignedEpoch(t *testing.T) {
	p := MainnetPace()
	day := 24 * time.Hour
	at := p.At.Add(100 * day)
	s := Seen{GasPrice: 7}.signed(1200, at)
	if s != (Seen{Epoch: 1200, Since: at, GasPrice: 7}) || p.latest(s, at.Add(36*time.Hour)) != 1202 {
		t.Errorf("%+v", s)
	}
	if got := s.signed(1199, at.Add(-day)); got != s {
		t.Errorf("an earlier one took its place: %+v", got)
	}
	if got := s.signed(1200, at.Add(time.Hour)); got != s {
		t.Errorf("a later checkpoint of it moved its begin: %+v", got)
	}
	if got := s.signed(1200, at.Add(-time.Hour)); !got.Since.Equal(at.Add(-time.Hour)) {
		t.Errorf("an earlier checkpoint of it did not: %+v", got)
	}
	c := Epochs{Seen: NewSeen(), Log: nil}
	chain := sui.Digest{9}
	c.NoteSigned(t.Context(), chain.String(), 1300, at)
	if got, err := c.Seen.Seen(t.Context(), chain); err != nil || got.Epoch != 1300 {
		t.Errorf("%+v %v", got, err)
	}
}

// oneWord is a node that reports one epoch of one chain.
type oneWord struct {
	Chain
	chain sui.Digest
	epoch uint64
}

func (n oneWord) ChainIdentifier(context.Context) (sui.Digest, error) { return n.chain, nil }

func (n oneWord) Epoch(context.Context) (sui.Epoch, error) { return sui.Epoch{Number: n.epoch}, nil }

// signedEnd proves the ends of epochs up to one.
type signedEnd struct {
	Prover
	last uint64
}

func (p signedEnd) Ended(_ context.Context, epoch uint64) (bool, error) { return epoch <= p.last, nil }

// TestOver: an epoch is over only if the same chain's second node or signatures say so.
func TestOver(t *testing.T) {
	chain := sui.Digest{1}
	for name, c := range map[string]struct {
		second             Chain
		prover             Prover
		sure, contradicted bool
	}{
		"nobody":                 {nil, nil, false, false},
		"the second node":        {oneWord{chain: chain, epoch: 8}, nil, true, false},
		"a second node behind":   {oneWord{chain: chain, epoch: 7}, nil, false, true},
		"a node of other chains": {oneWord{chain: sui.Digest{2}, epoch: 8}, nil, false, false},
		"signatures":             {nil, signedEnd{last: 7}, true, false},
		"signatures before it":   {nil, signedEnd{last: 6}, false, false},
		"signatures alone":       {oneWord{chain: chain, epoch: 7}, signedEnd{last: 7}, true, false},
	} {
		sure, contradicted, why := Epochs{Second: c.second, Prover: c.prover}.Over(t.Context(), chain, 7, 9)
		if sure != c.sure || contradicted != c.contradicted || (why == "") != sure {
			t.Errorf("%s: %t %t %q", name, sure, contradicted, why)
		}
	}
}
