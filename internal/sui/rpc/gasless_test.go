package rpc

import (
	"context"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// configured returns an answer whose configuration has these entries.
func configured(t *testing.T, entries map[string]any) *pb.GetEpochResponse {
	t.Helper()
	config := &pb.ProtocolConfig{ProtocolVersion: ptr(uint64(140))}
	var b []byte
	for key, value := range entries {
		v, err := structpb.NewValue(value)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := proto.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b = appendBytes(b, fieldConfigs, appendBytes(appendBytes(nil, 1, []byte(key)), 2, raw))
	}
	config.ProtoReflect().SetUnknown(b)
	return &pb.GetEpochResponse{Epoch: &pb.Epoch{ProtocolConfig: config}}
}

func TestGaslessCoins(t *testing.T) {
	const usdc = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
	list := func(pairs ...any) map[string]any {
		return map[string]any{"enable_gasless": true, "gasless_allowed_token_types": pairs, "max_tx_gas": "50000000000"}
	}
	for name, c := range map[string]struct {
		entries map[string]any
		coins   int // -1 means unknown
	}{
		"two coins":            {list([]any{usdc, "10000"}, []any{"0x0a::usdt::USDT", "0"}), 2},
		"none":                 {list(), 0},
		"no list":              {map[string]any{"enable_gasless": true, "gasless_allowed_token_types": nil}, 0},
		"disabled":             {map[string]any{"enable_gasless": false}, 0},
		"a node of an old day": {map[string]any{}, -1},
		"no flag":              {map[string]any{"gasless_allowed_token_types": []any{[]any{usdc, "10000"}}}, -1},
		"a flag of text":       {map[string]any{"enable_gasless": "true"}, -1},
		"a list left out":      {map[string]any{"enable_gasless": true}, -1},
		"a text for a list":    {map[string]any{"enable_gasless": true, "gasless_allowed_token_types": usdc}, -1},
		"no amount":            {list([]any{usdc}), -1},
		"an amount in decimal": {list([]any{usdc, "0.01"}), -1},
		"an amount too large":  {list([]any{usdc, "18446744073709551616"}), -1},
		"a number":             {list([]any{usdc, 10_000}), -1},
		"no coin":              {list([]any{"usdc", "10000"}), -1},
		"one twice":            {list([]any{usdc, "10000"}, []any{usdc, "1"}), -1},
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOf(t, func(_ context.Context, q any) (any, error) {
				if asked := q.(*pb.GetEpochRequest).GetReadMask().GetPaths(); len(asked) != 1 ||
					asked[0] != "protocol_config.configs" {
					t.Errorf("asked for %v", asked)
				}
				return configured(t, c.entries), nil
			})
			got, err := client.GaslessCoins(t.Context())
			if c.coins < 0 && !fault.Is(err, fault.ProviderMismatch) {
				t.Errorf("%v, %v", got, err)
			}
			if c.coins >= 0 && (err != nil || got == nil || len(got) != c.coins) {
				t.Errorf("%v, %v", got, err)
			}
			if c.coins == 2 && (got[usdc] != 10_000 ||
				got["0x000000000000000000000000000000000000000000000000000000000000000a::usdt::USDT"] != 0) {
				t.Errorf("%v", got)
			}
		})
	}
}
