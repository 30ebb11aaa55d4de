package sandbox

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	staking "github.com/sayurintent/sayurintent/internal/protocol/staking/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/committee"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// BeforeFirst is the summary that names the committee of the first epoch, as the last
// checkpoint of an epoch before it. Every sandbox has the same validators, so whoever
// starts there can follow any of them; nothing was ever executed below it.
func BeforeFirst() []byte {
	b, _ := committee.Summary(committee.Place{
		Epoch: FirstEpoch - 1, At: time.UnixMilli(0), Last: true, Protocol: ledger.ProtocolVersion,
	}, committee.Contents(nil))
	return b
}

// Spender is the second test account: the address of the Ed25519 test key of 32 bytes
// 0x22. Nothing here signs for it.
var Spender = sui.MustAddress("0x48936240c871663e6ba416724158736101ccab29436f72ae3ae4c8fa1ce7e45f")

// ShowHoldings gives the genesis account more to look at than coins:
// permissions of others, and stakes.
func (s *Sandbox) ShowHoldings() {
	s.ShowPermissions()
	staking.Show(s.Ledger, Account)
}

// ShowPermissions lets the second test account take from the genesis account, so that a
// person has something to look at and to end: 100 USDC within 30 days, and 5 SUI a month
// for ever.
func (s *Sandbox) ShowPermissions() {
	usdc, _ := coins.BySymbol("USDC")
	s.PermitAtGenesis("usdc", ledger.Allowance{Funder: Account, Spender: Spender, Coin: usdc.Type, Cap: 100_000_000,
		End: uint64(s.Now().Add(30 * 24 * time.Hour).UnixMilli()), Name: "Trading agent"})
	s.PermitAtGenesis("sui", ledger.Allowance{Funder: Account, Spender: Spender, Coin: sui.SUI, Limit: 5_000_000_000,
		Months: 1,
		Name:   "Subscription"})
}
