package node

import (
	"maps"
	"slices"
	"strconv"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// fieldConfigs is ProtocolConfig.configs, a map from names to values, which the stubs do not have yet.
const fieldConfigs = 4

// configured adds the entries about payments without gas to a protocol configuration. Amounts are
// strings, like all 64-bit numbers.
func configured(w *pb.ProtocolConfig, coins map[sui.CoinType]sui.Raw) {
	var list []*structpb.Value
	for _, coin := range slices.Sorted(maps.Keys(coins)) {
		list = append(list, structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{
			structpb.NewStringValue(string(coin)),
			structpb.NewStringValue(strconv.FormatUint(uint64(coins[coin]), 10)),
		}}))
	}
	var b []byte
	for _, entry := range []struct {
		key   string
		value *structpb.Value
	}{
		{"enable_gasless", structpb.NewBoolValue(true)},
		{"gasless_allowed_token_types", structpb.NewListValue(&structpb.ListValue{Values: list})},
	} {
		value, err := proto.Marshal(entry.value)
		if err != nil {
			panic(err) // values without invalid UTF-8 can always be encoded
		}
		b = appendMessage(b, fieldConfigs, appendMessage(appendMessage(nil, 1, []byte(entry.key)), 2, value))
	}
	w.ProtoReflect().SetUnknown(b)
}
