package reviewtest

import (
	"context"
	"encoding/binary"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

func (h *House) adapters() []review.Adapter {
	return []review.Adapter{swap.New(source{h.Node})}
}

type source struct{ node review.Simulator }

func (s source) Snapshot(ctx context.Context, p registry.Pool, d registry.Direction, amount sui.Raw) (swap.Snapshot, error) {
	pkg := registry.Packages()[0].ID
	f := "get_quote_quantity_out_input_fee"
	if d == registry.QuoteToBase {
		f = "get_base_quantity_out_input_fee"
	}
	args := []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()}
	call := func(fn string, a ...int) sui.Command {
		c := sui.MoveCall{Package: pkg, Module: "pool", Function: fn, TypeArgs: args}
		for _, i := range a {
			c.Arguments = append(c.Arguments, sui.InputArg(i))
		}
		return c
	}
	tx := &sui.Transaction{
		Inputs: []sui.Input{sui.SharedInput{ID: p.ID, InitialVersion: p.InitialSharedVersion},
			sui.PureU64(uint64(amount)), sui.SharedInput{ID: registry.Clock, InitialVersion: 1}},
		Commands:   []sui.Command{call(f, 0, 1, 2), call("pool_trade_params", 0), call("pool_book_params", 0), call("mid_price", 0, 2)},
		Gas:        sui.Gas{Price: 1000, Budget: 1_000_000_000},
		Expiration: sui.NoExpiration{},
	}
	sim, err := s.node.Simulate(ctx, tx, false)
	if err != nil {
		return swap.Snapshot{}, err
	}
	if !sim.Status.OK {
		return swap.Snapshot{}, fault.New(fault.QuoteUnavailable, "abort %+v", sim.Status.Abort)
	}
	n := func(c, v int) uint64 { return binary.LittleEndian.Uint64(sim.Returns[c][v].BCS) }
	out := swap.Snapshot{Package: pkg, Function: "pool::" + f, SharedVersion: p.InitialSharedVersion, TakerFee: n(1, 0),
		Lot: n(2, 1), Min: n(2, 2), Mid: n(3, 0), At: sim.At}
	if d == registry.BaseToQuote {
		out.Unspent, out.Out = sui.Raw(n(0, 0)), sui.Raw(n(0, 1))
	} else {
		out.Out, out.Unspent = sui.Raw(n(0, 0)), sui.Raw(n(0, 1))
	}
	return out, nil
}
