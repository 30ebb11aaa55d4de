package rpc

import (
	"context"
	"strconv"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// fieldConfigs is the number of ProtocolConfig.configs, a map from names to values, which the stubs
// lack. Its deprecated predecessors, feature_flags and attributes, contain no lists.
const fieldConfigs = 4

// Names of the configuration entries about payments without gas.
const (
	configGasless      = "enable_gasless"
	configGaslessCoins = "gasless_allowed_token_types"
)

const maxGaslessCoins = 1000

// GaslessCoins returns the coins that the current epoch's protocol configuration moves between address
// balances without gas. The values are the minimum amounts of such payments in raw units. The map is
// empty if every payment needs gas. It returns fault.ProviderMismatch if the node reports no
// configuration, or one of an unknown form.
func (c *Client) GaslessCoins(ctx context.Context) (map[sui.CoinType]sui.Raw, error) {
	answer, err := call(ctx, c, c.ledger.GetEpoch, &pb.GetEpochRequest{ReadMask: mask("protocol_config.configs")})
	if err != nil {
		return nil, err
	}
	configs := map[string]*structpb.Value{}
	err = fields(answer.GetEpoch().GetProtocolConfig().ProtoReflect().GetUnknown(),
		func(n protowire.Number, v field) error {
			if n != fieldConfigs {
				return nil
			}
			return configOf(v.bytes, configs)
		})
	if err != nil {
		return nil, err
	}
	if enabled, ok := configs[configGasless].GetKind().(*structpb.Value_BoolValue); !ok {
		return nil, mismatch("its protocol configuration does not state whether payments without gas are enabled")
	} else if !enabled.BoolValue {
		return map[sui.CoinType]sui.Raw{}, nil
	}
	return gaslessCoinsOf(configs[configGaslessCoins])
}

// configOf reads one entry of the configuration, and stores it if it is about payments without gas.
func configOf(entry []byte, into map[string]*structpb.Value) error {
	var key string
	var value []byte
	err := fields(entry, func(n protowire.Number, v field) error {
		switch n {
		case 1:
			key = string(v.bytes)
		case 2:
			value = v.bytes
		}
		return nil
	})
	if err != nil || key != configGasless && key != configGaslessCoins {
		return err
	}
	read := &structpb.Value{}
	if proto.Unmarshal(value, read) != nil {
		return mismatch("its protocol configuration cannot be read")
	}
	into[key] = read
	return nil
}

// gaslessCoinsOf reads a list of pairs: a coin type, and an amount as a decimal string.
func gaslessCoinsOf(reported *structpb.Value) (map[sui.CoinType]sui.Raw, error) {
	odd := mismatch("its list of coins that move without gas cannot be read")
	coins := map[sui.CoinType]sui.Raw{}
	list, ok := reported.GetKind().(*structpb.Value_ListValue)
	if _, null := reported.GetKind().(*structpb.Value_NullValue); null {
		return coins, nil
	}
	if !ok || len(list.ListValue.GetValues()) > maxGaslessCoins {
		return nil, odd
	}
	for _, v := range list.ListValue.GetValues() {
		pair := v.GetListValue().GetValues()
		if len(pair) != 2 {
			return nil, odd
		}
		coin, err := sui.ParseCoinType(pair[0].GetStringValue())
		if err != nil {
			return nil, odd
		}
		least, err := strconv.ParseUint(pair[1].GetStringValue(), 10, 64)
		if _, twice := coins[coin]; err != nil || twice {
			return nil, odd
		}
		coins[coin] = sui.Raw(least)
	}
	return coins, nil
}
