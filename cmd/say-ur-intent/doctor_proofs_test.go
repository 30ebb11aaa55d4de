package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// keeper is a node that keeps the ends of recent epochs.
type keeper struct {
	chain    sui.Digest
	present  uint64
	from     uint64 // first epoch whose end it keeps
	down     error  // error of every method
	downEnds error  // error of the methods about ends of epochs
	asked    []uint64
}

func (k *keeper) ChainIdentifier(context.Context) (sui.Digest, error) { return k.chain, k.down }

func (k *keeper) Epoch(context.Context) (sui.Epoch, error) {
	return sui.Epoch{Number: k.present}, k.down
}

func (k *keeper) EpochEnd(_ context.Context, epoch uint64) (uint64, bool, error) {
	k.asked = append(k.asked, epoch)
	return 10 * epoch, true, k.downEnds
}

func (k *keeper) CertifiedCheckpoint(_ context.Context, number uint64, _ bool) (rpc.CertifiedCheckpoint, bool, error) {
	return rpc.CertifiedCheckpoint{}, number >= 10*k.from, nil
}

// TestDoctorProofs checks that doctor reports how far proofs are behind, and how to catch up.
func TestDoctorProofs(t *testing.T) {
	chain := sui.Digest{7}
	known := sandboxStarts(chain)[0].Anchor.Epoch + 1
	silent := fault.New(fault.ProviderUnavailable, "The node is silent.")
	for name, c := range map[string]struct {
		network  string
		node     keeper
		followed uint64
		archive  string
		level    string
		says     []string
		asked    uint64
	}{
		"no answer": {network: "sandbox", node: keeper{down: errors.New("x")}, level: levelWarn,
			says: []string{"Not compared"}},
		"a chain without anchor": {network: "mainnet", node: keeper{present: 9}, level: levelOK,
			says: []string{"no anchor for this network"}},
		"up to date": {network: "sandbox", node: keeper{present: known}, level: levelOK,
			says: []string{fmt.Sprintf("current epoch %d are known", known)}},
		"followed up to date": {network: "sandbox", node: keeper{present: known + 50}, followed: known + 49, level: levelOK,
			says: []string{"can be proved"}},
		"behind, and the node keeps it": {network: "sandbox", node: keeper{present: known + 50}, level: levelOK, asked: known,
			says: []string{fmt.Sprintf("Proofs are 50 epochs behind: validators are known up to epoch %d, and the current epoch is %d", known, known+50), "catches up while idle"}},
		"behind what was followed": {network: "sandbox", node: keeper{present: known + 50, from: known + 40},
			followed: known + 39, level: levelOK,
			asked: known + 40, says: []string{"Proofs are 10 epochs behind"}},
		"pruned": {network: "sandbox", node: keeper{present: known + 50, from: known + 1}, level: levelWarn, asked: known,
			says: []string{"50 epochs behind", "no longer keeps the end",
				"Archive node on the settings page, or SUI_ARCHIVE_URL"}},
		"pruned, with an archive": {network: "sandbox", node: keeper{present: known + 50, from: known + 1},
			archive: "https://a", level: levelWarn,
			asked: known, says: []string{"no longer keeps the end", "the archive node (SUI_ARCHIVE_URL) is used",
				"Leave the program running"}},
		"no answer about the end": {network: "sandbox", node: keeper{present: known + 50, downEnds: silent}, level: levelWarn,
			asked: known,
			says:  []string{"50 epochs behind", "Whether the node still keeps", "The node is silent.", "Run this again"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.node.chain = chain
			d := doctor{s: options{network: networks[c.network]}}
			d.s.services[settings.Archive] = firstOf("", c.archive, "")
			if c.followed > 0 {
				d.followed = map[sui.Digest]uint64{chain: c.followed, {8}: 1000}
			}
			d.proofs(t.Context(), &c.node)
			if len(d.findings) != 1 || d.findings[0].Check != "proofs" || d.findings[0].Level != c.level {
				t.Fatalf("%+v", d.findings)
			}
			said := d.findings[0].What + " " + d.findings[0].Next
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("%q lacks %q", said, want)
				}
			}
			if len(c.node.asked) != 0 != (c.asked > 0) || c.asked > 0 && c.node.asked[0] != c.asked {
				t.Errorf("asked for the end of %v, want %d", c.node.asked, c.asked)
			}
		})
	}
}
