package rpc

import (
	"bytes"
	"context"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a page of balances, and of a coin's texts.
const (
	maxBalances  = 1000
	maxPageToken = 1 << 10
	maxCoinText  = 1 << 10
)

// Balances lists up to most (1 to 1000) of the coin types that owner holds. It starts at token or, if
// nil, at the beginning, and returns the token of the next page, or nil after the last one. It returns
// fault.ProviderMismatch for a page with a repeated coin type, parts that do not add up, or too many
// items. The caller must check that pages advance.
func (c *Client) Balances(
	ctx context.Context, owner sui.Address, token []byte, most int,
) ([]sui.Balance, []byte, error) {
	size := uint32(min(max(most, 1), maxBalances))
	answer, err := call(ctx, c, c.state.ListBalances, &pb.ListBalancesRequest{
		Owner: ptr(owner.String()), PageSize: &size, PageToken: token,
	})
	if err != nil {
		return nil, nil, err
	}
	if len(answer.GetBalances()) > int(size) || len(answer.GetNextPageToken()) > maxPageToken {
		return nil, nil, mismatch("a page of balances is larger than requested")
	}
	balances := make([]sui.Balance, 0, len(answer.GetBalances()))
	seen := make(map[sui.CoinType]bool, len(answer.GetBalances()))
	for _, reported := range answer.GetBalances() {
		b, err := balanceOf(reported)
		if err != nil {
			return nil, nil, err
		}
		if seen[b.Type] {
			return nil, nil, mismatch("it lists the balance of one coin twice")
		}
		seen[b.Type] = true
		balances = append(balances, b)
	}
	if len(answer.GetNextPageToken()) == 0 {
		if len(balances) == 0 && token == nil {
			return balances, nil, c.holdsNothing(ctx, owner)
		}
		return balances, nil, nil
	}
	return balances, bytes.Clone(answer.GetNextPageToken()), nil
}

// holdsNothing compares an empty list of balances with the balance of SUI, because the node may have
// omitted the list.
func (c *Client) holdsNothing(ctx context.Context, owner sui.Address) error {
	held, err := c.Balance(ctx, owner, sui.SUI)
	//mutant:never ./internal/sui/rpc TestBalancesLeftOut
	if err == nil && held.Total > 0 {
		return mismatch("it lists no balance, although it reports one of SUI")
	}
	return err
}

// balanceOf reads one balance with its parts. If the node does not report parts, all of it counts
// as coins.
func balanceOf(reported *pb.Balance) (sui.Balance, error) {
	coin, err := sui.ParseCoinType(reported.GetCoinType())
	if err != nil || reported.Balance == nil {
		return sui.Balance{}, mismatch("a balance is not of a coin, or has no amount")
	}
	b := sui.Balance{Type: coin, Total: sui.Raw(reported.GetBalance())}
	inAddress, hasAddress := unknownNumber(reported.ProtoReflect().GetUnknown(), fieldAddressBalance)
	inCoins, hasCoins := unknownNumber(reported.ProtoReflect().GetUnknown(), fieldCoinBalance)
	b.Address, b.Coins = sui.Raw(inAddress), sui.Raw(inCoins)
	switch {
	case !hasCoins && b.Address <= b.Total:
		b.Coins = b.Total - b.Address
	case !hasAddress && b.Coins <= b.Total:
		b.Address = b.Total - b.Coins
	}
	if b.Address > b.Total || b.Total-b.Address != b.Coins {
		return sui.Balance{}, mismatch("the parts of a balance do not add up")
	}
	return b, nil
}

// CoinInfo describes a coin. It returns false if the chain has no description of it. The coin's
// creator wrote the name and symbol. They are cut to 1024 bytes but not sanitized, so screen them
// before displaying them.
func (c *Client) CoinInfo(ctx context.Context, coin sui.CoinType) (sui.Metadata, bool, error) {
	answer, err := call(ctx, c, c.state.GetCoinInfo, &pb.GetCoinInfoRequest{CoinType: ptr(string(coin))})
	if status.Code(err) == codes.NotFound {
		return sui.Metadata{}, false, nil
	}
	if err != nil {
		return sui.Metadata{}, false, err
	}
	if t, err := sui.ParseCoinType(answer.GetCoinType()); err != nil || t != coin {
		return sui.Metadata{}, false, mismatch("the description is of another coin")
	}
	m := answer.GetMetadata()
	if m == nil {
		return sui.Metadata{}, false, nil
	}
	if m.Decimals == nil || m.GetDecimals() > 255 {
		return sui.Metadata{}, false, mismatch("the coin's decimals are missing or too many")
	}
	return sui.Metadata{
		Type: coin, Decimals: uint8(m.GetDecimals()), Name: cut(m.GetName()), Symbol: cut(m.GetSymbol()),
	}, true, nil
}

// cut truncates a text.
func cut(s string) string {
	if len(s) <= maxCoinText {
		return s
	}
	return strings.ToValidUTF8(s[:maxCoinText], "")
}
