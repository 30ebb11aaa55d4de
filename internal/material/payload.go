package material

import (
	"encoding/base64"
	"math/big"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Numbers of the fields that a keysign payload may contain: those that are read, and those without
// effect on the payment, such as the vault and the choice of gas and coins.
const (
	fieldCoin, fieldTo, fieldAmount            = 1, 2, 3
	fieldSui, fieldVault, fieldLocal, fieldLib = 11, 31, 32, 33

	coinChain, coinTicker, coinAddress, coinContract, coinDecimals = 1, 2, 3, 4, 5
	coinPrice, coinNative, coinKey, coinLogo                       = 6, 7, 8, 9
)

// message contains the fields of a protobuf message by number.
type message struct {
	bytes   map[protowire.Number][]byte
	numbers map[protowire.Number]uint64
}

// parse parses the wire format of a message. It returns false if the message is invalid, or has a
// repeated or unknown field.
func parse(b []byte, known ...protowire.Number) (m message, ok bool) {
	m = message{map[protowire.Number][]byte{}, map[protowire.Number]uint64{}}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return m, false
		}
		b = b[n:]
		among := false
		for _, k := range known {
			among = among || k == number
		}
		_, text := m.bytes[number]
		_, count := m.numbers[number]
		//mutant:never ./internal/material TestPayload
		if !among || text || count {
			return m, false
		}
		switch kind {
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return m, false
			}
			m.bytes[number], b = v, b[n:]
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return m, false
			}
			m.numbers[number], b = v, b[n:]
		default:
			return m, false
		}
	}
	return m, true
}

func (m message) text(n protowire.Number) string { return string(m.bytes[n]) }

// payload decodes a payment from a keysign payload. It uses only the coin, recipient and amount.
func (r *Reader) payload(account sui.Address, g Given) (plan.Intent, error) {
	none := plan.Intent{}
	other := func(why string) (plan.Intent, error) {
		return none, refuse(Unreadable, "keysign_payload is not a supported plain payment on Sui: "+why)
	}
	if len(g.Payload) > base64.StdEncoding.EncodedLen(MostBytes) {
		return none, refuse(TooLarge, "keysign_payload is larger than 128 KiB.")
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(g.Payload)
	if err != nil || len(raw) == 0 {
		return none, refuse(Malformed, "keysign_payload is not valid base64.")
	}
	p, ok := parse(raw, fieldCoin, fieldTo, fieldAmount, fieldSui, fieldVault, fieldLocal, fieldLib)
	if !ok {
		return other("it has other fields, such as a swap or a memo.")
	}
	c, ok := parse(p.bytes[fieldCoin], coinChain, coinTicker, coinAddress, coinContract, coinDecimals, coinPrice,
		coinNative, coinKey, coinLogo)
	if _, has := p.bytes[fieldSui]; !ok || !has || !strings.EqualFold(c.text(coinChain), "Sui") {
		return other("its coin is not on Sui.")
	}
	if from, err := sui.ParseAccount(c.text(coinAddress)); c.text(coinAddress) != "" && (err != nil || from != account) {
		return none, refuse(WrongSender, "keysign_payload is for an address other than the active account.")
	}
	of := sui.SUI
	if contract := c.text(coinContract); contract != "" {
		if of, err = sui.ParseCoinType(contract); err != nil {
			return other("its coin has no Sui type.")
		}
	}
	coin, known := coins.ByType(of)
	switch {
	case !known:
		return other("its coin is unknown here.")
	case c.numbers[coinDecimals] != 0 && c.numbers[coinDecimals] != uint64(coin.Decimals):
		return other("its coin has other decimals.")
	case c.numbers[coinNative] != 0 && of != sui.SUI:
		return other("its coin is not the native coin.")
	}
	n, isNumber := new(big.Int).SetString(p.text(fieldAmount), 10)
	to, err := sui.ParseAccount(p.text(fieldTo))
	if !isNumber || n.Sign() <= 0 || !n.IsUint64() || err != nil {
		return other("its amount or its recipient cannot be read.")
	}
	m := meant{to: to, called: []sui.Address{to},
		pays: plan.Asset{Symbol: coin.Symbol, CoinType: coin.Type, Decimals: coin.Decimals}.Of(sui.Raw(n.Uint64()))}
	if from, err := sui.ParseAccount(g.Details.From); g.Details.From != "" && (err != nil || from != account) {
		return none, refuse(WrongSender, "tx_details.from is not the active account.")
	}
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: m.pays.Symbol, Amount: string(m.pays.Display)},
		Recipient: to.String()}, m.agrees(account, g.Details)
}
