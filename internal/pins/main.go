// Command pins compares the pinned facts about DeepBook, FlowX and the described protocols with a Sui
// node, and stops at any difference. It lists packages with newer versions.
//
//	go run ./internal/pins -node https://host:443            compare
//	go run ./internal/pins -node https://host:443 -write     and rewrite pools.go
//
// It finds a pool as the chain does: the pair and the fee give the id of a dynamic field of the
// registry, and the field names the pool. With -write, it adds pools at fee tiers that were not pinned
// before. It writes nothing unless every pin was confirmed.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// poolsFile is the path of the file that -write rewrites, relative to the top directory.
const poolsFile = "internal/protocol/flowx/registry/pools.go"

func main() {
	node := flag.String("node", "https://fullnode.mainnet.sui.io:443", "Sui node to ask")
	write := flag.Bool("write", false, "rewrite the pools when everything is confirmed")
	root := flag.String("root", ".", "top directory of the source")
	flag.Parse()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := run(ctx, *node, mainnet, *root, *write, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "pins:", err)
		os.Exit(1)
	}
}

// mainnet is the beginning of mainnet's genesis digest. The pins apply only to that chain.
func mainnet(genesis sui.Digest) error {
	if !bytes.HasPrefix(genesis[:], []byte{0x35, 0x83, 0x4a, 0x8a}) {
		return fault.New(fault.NetworkMismatch, "This node is not on mainnet, as the pins are.")
	}
	return nil
}

// teller receives one line for each confirmed or new fact.
type teller interface{ Write(p []byte) (int, error) }

// run verifies the pins and, if write is set, rewrites the pools. It writes nothing on failure.
func run(ctx context.Context, node string, admit func(sui.Digest) error, root string, write bool, tell teller) error {
	began := time.Unix(0, 0) // response times do not matter here
	client, err := rpc.New(rpc.Config{URL: node, Now: func() time.Time { return began }, Admit: admit})
	if err != nil {
		return explained(err)
	}
	defer func() { _ = client.Close() }()
	chain, err := client.ChainIdentifier(ctx)
	if err != nil {
		return explained(err)
	}
	fmt.Fprintf(tell, "chain %s\n", chain)
	if admit != nil { // only mainnet has these protocols
		if err := protocols(ctx, client, tell); err != nil {
			return explained(err)
		}
		if err := newer(ctx, client, tell); err != nil {
			return explained(err)
		}
	}
	pools, err := verify(ctx, client, tell)
	if err != nil {
		return fmt.Errorf("%w\nThe pins are unchanged", explained(err))
	}
	text, err := render(pools)
	if err != nil {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(poolsFile))
	present, err := os.ReadFile(path)
	switch {
	case err != nil:
		return err
	case bytes.Equal(present, text):
		fmt.Fprintln(tell, "all pins match the chain, and none is missing")
	case !write:
		return fmt.Errorf("the chain has pools that are not pinned: run this with -write and check the changes in "+
			"%s", poolsFile)
	default:
		fmt.Fprintf(tell, "%s is written\n", poolsFile)
		return os.WriteFile(path, text, 0o644)
	}
	return nil
}

// explained returns a fault's message.
func explained(err error) error {
	f := fault.As(err)
	if f.Code == fault.InternalError {
		return err
	}
	return fmt.Errorf("%s: %s", f.Code, f.Text)
}
