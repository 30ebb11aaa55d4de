package sui

// OnDevice is what a hardware wallet shows of a transaction.
type OnDevice string

// The parser of a hardware wallet knows transfers of coins to one address, and
// staking. Of everything else the wallet shows the SigningHash.
const (
	DeviceShowsAmounts OnDevice = "amounts"
	DeviceKnowsCoin    OnDevice = "known_coin" // amounts if it knows the coin, or else the hash
	DeviceShowsHash    OnDevice = "hash"
)

// The bounds of the parser of Ledger's Sui app.
const (
	maxDeviceArguments = 8
	maxDeviceGasCoins  = 32
)

// stakingCalls are the only Move calls that the parser knows, each by itself.
var stakingCalls = map[string]bool{"request_add_stake": true, "request_withdraw_stake": true}

var systemPackage = MustAddress("0x3")

// OnDevice returns what a hardware wallet shows of the transaction, by the rules of the
// parser in Ledger's Sui app 1.2.
func (t *Transaction) OnDevice() OnDevice {
	if n := len(t.Gas.Payment); n == 0 || n > maxDeviceGasCoins || len(t.Inputs) == 0 {
		return DeviceShowsHash
	}
	for _, in := range t.Inputs {
		switch in.(type) {
		case PureInput, OwnedInput, SharedInput:
		default: // withdrawals and received objects
			return DeviceShowsHash
		}
	}
	p := deviceParser{tx: t, shows: DeviceShowsAmounts}
	for _, c := range t.Commands {
		//mutant:never ./internal/sui TestOnDevice
		if !p.command(c) {
			return DeviceShowsHash
		}
	}
	if !p.transfers && p.stakes != 1 || p.transfers && p.stakes > 0 {
		return DeviceShowsHash
	}
	return p.shows
}

// deviceParser reads the commands of a transaction as the device does.
type deviceParser struct {
	tx        *Transaction
	shows     OnDevice
	to        *Address // of all transfers
	transfers bool
	stakes    int
	fromGas   []bool // by command: its results are SUI out of the gas coin
}

// command reports whether the parser knows a command.
func (p *deviceParser) command(c Command) bool {
	ok, gas := false, false
	switch c := c.(type) {
	case SplitCoins:
		ok, gas = len(c.Amounts) <= maxDeviceArguments, p.isSUI(c.Coin)
	case MergeCoins:
		ok = len(c.Sources) <= maxDeviceArguments
	case TransferObjects:
		ok = p.transfer(c)
	case MoveCall:
		p.stakes++
		ok = c.Package == systemPackage && c.Module == "sui_system" && stakingCalls[c.Function]
	}
	p.fromGas = append(p.fromGas, gas)
	return ok
}

// transfer reads a transfer: all of them go to one address.
func (p *deviceParser) transfer(c TransferObjects) bool {
	if len(c.Objects) > maxDeviceArguments || c.Recipient.Kind != ArgInput ||
		int(c.Recipient.Index) >= len(p.tx.Inputs) {
		return false
	}
	pure, ok := p.tx.Inputs[c.Recipient.Index].(PureInput)
	if !ok || len(pure.Bytes) != len(Address{}) {
		return false
	}
	to := Address(pure.Bytes)
	if p.to != nil && *p.to != to {
		return false
	}
	p.to, p.transfers = &to, true
	for _, o := range c.Objects {
		if !p.isSUI(o) {
			p.shows = DeviceKnowsCoin
		}
	}
	return true
}

// isSUI reports whether an argument is the gas coin, or was split off it.
func (p *deviceParser) isSUI(a Argument) bool {
	switch a.Kind {
	case ArgGasCoin:
		return true
	case ArgResult, ArgNestedResult:
		return int(a.Index) < len(p.fromGas) && p.fromGas[a.Index]
	}
	return false
}
