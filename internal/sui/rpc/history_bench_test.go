package rpc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mr-tron/base58"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// BenchmarkPage reads a page of 5 transactions with 9,000 object changes each, about 18 MB: close to
// the maximum size of an answer. Nine changes of each are requested, and the rest is discarded.
func BenchmarkPage(b *testing.B) {
	id := "0x" + strings.Repeat("a1", 32)
	object := `{"address":"` + id +
		`","idCreated":false,"idDeleted":false,"inputState":{"asMoveObject":{"contents":{"type":{"repr":"0x2::coin::Coin<0x2::sui::SUI>"}}}},` +
		`"outputState":{"asMoveObject":{"contents":{"type":{"repr":"0x2::coin::Coin<0x2::sui::SUI>"}}},"owner":{"__typename":"AddressOwner","byAddress":{"address":"` + id + `"}}}},`
	objects := strings.TrimSuffix(strings.Repeat(object, 9000), ",")
	var nodes []string
	for i := range 5 {
		digest := make([]byte, 32)
		digest[0] = byte(i + 1)
		nodes = append(nodes,
			fmt.Sprintf(`{"digest":%q,"effects":{"status":"SUCCESS","objectChanges":{"nodes":[%s],"pageInfo":{"hasNextPage":false,"endCursor":null}}}}`, base58.Encode(digest), objects))
	}
	body := page(strings.Join(nodes, ","), `{"hasPreviousPage":false,"startCursor":null}`)
	h := canned(b, 200, "application/json", body)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		got, err := h.Transactions(context.Background(), sui.PastQuery{Sent: &payee, Most: 5})
		if err != nil || len(got.Transactions) != 5 || len(got.Transactions[4].Objects.Items) != 9 ||
			got.Transactions[4].Objects.Whole() {
			b.Fatalf("%d objects, %v", len(got.Transactions[4].Objects.Items), err)
		}
	}
}
