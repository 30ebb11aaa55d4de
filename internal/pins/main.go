// Command pins reads the pinned facts about DeepBook, FlowX and the described protocols again
// from a Sui node, and stops if anything differs. It names packages with newer versions.
//
//	go run ./internal/pins -node https://host:443            compare
//	go run ./internal/pins -node https://host:443 -write     and write pools.go anew
//
// Pools are found the way the chain finds them: from the pair and the fee to the
// dynamic field of the registry, and from there to the pool. With -write a pool at
// a fee tier that was not pinned before is added. Nothing is written unless
// everything that is pinned was confirmed.
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

// poolsFile is what -write writes, below the top directory.
const poolsFile = "internal/protocol/flowx/registry/pools.go"

func main() {
	node := flag.String("node", "https://fullnode.mainnet.sui.io:443", "Sui node to ask")
	write := flag.Bool("write", false, "write the pools anew when everything is confirmed")
	root := flag.String("root", ".", "top directory of the source")
	flag.Parse()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := run(ctx, *node, mainnet, *root, *write, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "pins:", err)
		os.Exit(1)
	}
}

// mainnet admits the chain that the pins are of: its genesis digest begins so.
func mainnet(genesis sui.Digest) error {
	if !bytes.HasPrefix(genesis[:], []byte{0x35, 0x83, 0x4a, 0x8a}) {
		return fault.New(fault.NetworkMismatch, "This node is another chain than mainnet, of which the pins are.")
	}
	return nil
}

// teller gets one line for each thing that was confirmed or is new.
type teller interface{ Write(p []byte) (int, error) }

// run verifies and, where write is set, rewrites. It writes nothing on failure.
func run(ctx context.Context, node string, admit func(sui.Digest) error, root string, write bool, tell teller) error {
	began := time.Unix(0, 0) // the answers carry no time that matters here
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
	if admit != nil { // other chains than the one of the pins have none of these protocols
		if err := protocols(ctx, client, tell); err != nil {
			return explained(err)
		}
		if err := newer(ctx, client, tell); err != nil {
			return explained(err)
		}
	}
	pools, err := verify(ctx, client, tell)
	if err != nil {
		return fmt.Errorf("%w\nThe pins stay as they are", explained(err))
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
		fmt.Fprintln(tell, "everything that is pinned is on this chain, and nothing is missing")
	case !write:
		return fmt.Errorf("the chain has more than is pinned: run it with -write and look at what changed in %s", poolsFile)
	default:
		fmt.Fprintf(tell, "%s is written\n", poolsFile)
		return os.WriteFile(path, text, 0o644)
	}
	return nil
}

// explained shows a fault as its sentence.
func explained(err error) error {
	f := fault.As(err)
	if f.Code == fault.InternalError {
		return err
	}
	return fmt.Errorf("%s: %s", f.Code, f.Text)
}
