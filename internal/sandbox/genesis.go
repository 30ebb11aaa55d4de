package sandbox

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	staking "github.com/sayurintent/sayurintent/internal/protocol/staking/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/committee"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// BeforeFirst returns the summary that lists the first epoch's committee, like the last checkpoint of
// the previous epoch. Every sandbox has the same validators, so a client can start there and follow any
// of them. Nothing was executed before it.
func BeforeFirst() []byte {
	b, _ := committee.Summary(committee.Place{
		Epoch: FirstEpoch - 1, At: time.UnixMilli(0), Last: true, Protocol: ledger.ProtocolVersion,
	}, committee.Contents(nil))
	return b
}

// Spender is the second test account: the address of the Ed25519 test key of 32 bytes 0x22. Nothing
// here signs for it.
var Spender = sui.MustAddress("0x48936240c871663e6ba416724158736101ccab29436f72ae3ae4c8fa1ce7e45f")

// ShowHoldings gives the genesis account more than coins: stakes, and permissions for others.
func (s *Sandbox) ShowHoldings() {
	s.ShowPermissions()
	staking.Show(s.Ledger, Account)
}

// ShowPermissions permits the second test account to take from the genesis account, so that users can
// see and revoke permissions: 100 USDC within 30 days, and 5 SUI a month without an end.
func (s *Sandbox) ShowPermissions() {
	usdc, _ := coins.BySymbol("USDC")
	s.PermitAtGenesis("usdc", ledger.Allowance{Funder: Account, Spender: Spender, Coin: usdc.Type, Cap: 100_000_000,
		End: uint64(s.Now().Add(30 * 24 * time.Hour).UnixMilli()), Name: "Trading agent"})
	s.PermitAtGenesis("sui", ledger.Allowance{Funder: Account, Spender: Spender, Coin: sui.SUI, Limit: 5_000_000_000,
		Months: 1,
		Name:   "Subscription"})
}
