// Command anchor advances the trust anchor for validator proofs. Starting from the newest shipped
// anchor, it follows the committees epoch by epoch to the node's current epoch.
//
//	go run ./internal/anchor -node https://host:443            print the new anchor
//	go run ./internal/anchor -node https://host:443 -write     and add it to the file
//
// It verifies every step, so the node need not be trusted. Ordinary nodes prune old checkpoints;
// -archive names one that keeps them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

func main() {
	node := flag.String("node", "https://fullnode.mainnet.sui.io:443", "Sui node to ask")
	archive := flag.String("archive", "", "node that keeps old checkpoints")
	write := flag.Bool("write", false, "add the anchor to "+proof.AnchorsFile)
	root := flag.String("root", ".", "top directory of the source")
	flag.Parse()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
	defer stop()
	a, moved, err := forward(ctx, *node, *archive, nil)
	if err == nil && moved && *write {
		err = add(filepath.Join(*root, proof.AnchorsFile), a)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "anchor:", fault.As(err).Text)
		os.Exit(1)
	}
	if !moved {
		fmt.Fprintln(os.Stderr, "The shipped anchor is the newest one:")
	}
	fmt.Println(a)
}

// forward follows the committees from starts and returns the newest anchor, and whether it is newer
// than the starting point. If starts is nil, it starts from the shipped anchors.
func forward(ctx context.Context, node, archive string, starts func(sui.Digest) []prover.Start) (proof.Anchor, bool,
	error) {
	began := time.Unix(0, 0) // response times do not matter here
	now := func() time.Time { return began }
	client, err := rpc.New(rpc.Config{URL: node, Now: now})
	if err != nil {
		return proof.Anchor{}, false, err
	}
	defer client.Close()
	c := prover.Config{Node: client, Store: &memory{}, Starts: starts}
	if archive != "" {
		old, err := rpc.New(rpc.Config{URL: archive, Now: now})
		if err != nil {
			return proof.Anchor{}, false, err
		}
		defer old.Close()
		c.Archive = old
	}
	chain := prover.New(c)
	defer chain.Close()
	return chain.Forward(ctx)
}

// add appends an anchor to the file and checks that the file is still valid.
func add(file string, a proof.Anchor) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text = append(text, (a.String() + "\n")...)
	if _, err := proof.ReadAnchors(string(text)); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// memory stores the latest verified steps while the command runs.
type memory struct {
	mu   sync.Mutex
	list []proof.FileStep
}

func (m *memory) NewestEpochEnd(context.Context, sui.Digest) (proof.FileStep, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == 0 {
		return proof.FileStep{}, false, nil
	}
	return m.list[len(m.list)-1], true, nil
}

func (m *memory) EpochEnds(_ context.Context, _ sui.Digest, from, to uint64) ([]proof.FileStep, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.list), func(s proof.FileStep) bool { return s.Epoch < from || s.Epoch > to }),
		nil
}

func (m *memory) KeepEpochEnds(_ context.Context, _ sui.Digest, steps []proof.FileStep) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, steps...)
	return nil
}
