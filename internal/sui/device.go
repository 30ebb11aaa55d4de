package sui

// OnDevice describes what a hardware wallet shows for a transaction.
type OnDevice string

// A hardware wallet's parser recognizes only staking and coin transfers to a single address. For
// everything else, the wallet shows the SigningHash.
const (
	DeviceShowsAmounts OnDevice = "amounts"
	DeviceKnowsCoin    OnDevice = "known_coin" // shows amounts if the device knows the coin, otherwise the hash
	DeviceShowsHash    OnDevice = "hash"
)

// MaxDeviceArguments is the maximum number of coins or amounts in one command that the parser of
// Ledger's Sui app reads. maxDeviceGasCoins is its maximum number of gas coins.
const (
	MaxDeviceArguments = 8
	maxDeviceGasCoins  = 32
)

var (
	systemPackage = MustAddress("0x3")
	systemState   = MustAddress("0x5")
)

// OnDevice returns what a hardware wallet shows for the transaction, assuming the parser of Ledger's
// Sui app 1.2 and a browser wallet that sends it the coins.
func (t *Transaction) OnDevice() OnDevice {
	if n := len(t.Gas.Payment); n == 0 || n > maxDeviceGasCoins || len(t.Inputs) == 0 {
		return DeviceShowsHash
	}
	switch t.Expiration.(type) {
	case NoExpiration, EpochExpiration:
	default:
		return DeviceShowsHash
	}
	for _, in := range t.Inputs {
		if !deviceInput(in) {
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
	if p.does == nothing {
		return DeviceShowsHash
	}
	return p.shows
}

// deviceInput reports whether the parser can read an input. A value of one or nine bytes must be an
// optional amount. The parser does not support withdrawals or received objects.
func deviceInput(in Input) bool {
	switch in := in.(type) {
	case PureInput:
		switch n := len(in.Bytes); n {
		case 1, 9:
			return in.Bytes[0] == byte(n/9)
		}
		return true
	case OwnedInput, SharedInput:
		return true
	}
	return false
}

// deviceParser reads the commands of a transaction as the device's app does.
type deviceParser struct {
	tx      *Transaction
	shows   OnDevice
	to      *Address // common recipient of all transfers
	gas     bool     // the whole gas coin is included
	does    deviceAction
	results []deviceResult // results by command
}

// deviceAction is the category that the device assigns to the transaction.
type deviceAction int

const (
	nothing deviceAction = iota
	transferring
	staking // staking or unstaking
)

// deviceResult is the result of a command: parts of a coin, a vector of coins, or a stake.
type deviceResult struct {
	parts       int
	gas         bool // the parts were split off the gas coin, which is SUI
	list, stake bool
}

// command reports whether the parser knows the command.
func (p *deviceParser) command(c Command) bool {
	var r deviceResult
	ok := false
	switch c := c.(type) {
	case SplitCoins:
		ok = len(c.Amounts) <= MaxDeviceArguments && c.Coin.Kind != ArgResult && p.amounts(c.Amounts)
		var known bool
		r.gas, known = p.coin(c.Coin)
		r.parts, ok = len(c.Amounts), ok && known
	case MergeCoins:
		_, known := p.coin(c.Into)
		ok = known && c.Into.Kind != ArgResult && p.coins(c.Sources, 0) && p.merged(c.Sources)
	case MakeMoveVec:
		r.list, ok = true, c.Type == nil && p.coins(c.Elements, 1)
	case TransferObjects:
		ok = p.transfer(c)
	case MoveCall:
		r.stake, ok = p.call(c)
	}
	p.results = append(p.results, r)
	return ok
}

// coin reports whether the parser knows an argument as a coin, and whether it is certainly SUI.
func (p *deviceParser) coin(a Argument) (isSUI, ok bool) {
	switch a.Kind {
	case ArgGasCoin:
		return true, true
	case ArgInput:
		_, ok = p.input(a).(OwnedInput)
		return false, ok
	}
	if int(a.Index) >= len(p.results) {
		return false, false
	}
	r := p.results[a.Index]
	if a.Kind == ArgResult {
		return r.gas, r.parts == 1
	}
	return r.gas, int(a.Nested) < r.parts
}

func (p *deviceParser) coins(list []Argument, least int) bool {
	for _, a := range list {
		if _, ok := p.coin(a); !ok {
			return false
		}
	}
	return len(list) >= least && len(list) <= MaxDeviceArguments
}

// merged reports whether a merge's sources are coins. The gas coin cannot be merged into another
// coin.
func (p *deviceParser) merged(list []Argument) bool {
	for _, a := range list {
		if a.Kind == ArgGasCoin {
			return false
		}
	}
	return true
}

func (p *deviceParser) amounts(list []Argument) bool {
	for _, a := range list {
		if !p.pure(a, 8) {
			return false
		}
	}
	return true
}

// input returns the input that an argument refers to, or nil for any other argument.
func (p *deviceParser) input(a Argument) Input {
	if a.Kind != ArgInput || int(a.Index) >= len(p.tx.Inputs) {
		return nil
	}
	return p.tx.Inputs[a.Index]
}

// pure reports whether an argument is a pure value of one of the sizes.
func (p *deviceParser) pure(a Argument, sizes ...int) bool {
	in, ok := p.input(a).(PureInput)
	for _, n := range sizes {
		if ok && len(in.Bytes) == n {
			return true
		}
	}
	return false
}

// transfer reads a transfer. All transfers must go to the same address.
func (p *deviceParser) transfer(c TransferObjects) bool {
	if p.does == staking || !p.coins(c.Objects, 1) || !p.pure(c.Recipient, len(Address{})) {
		return false
	}
	to := Address(p.input(c.Recipient).(PureInput).Bytes)
	if p.to != nil && *p.to != to {
		return false
	}
	p.to, p.does = &to, transferring
	for _, o := range c.Objects {
		if o == GasCoin && p.gas {
			return false
		}
		p.gas = p.gas || o == GasCoin
		if isSUI, _ := p.coin(o); !isSUI {
			p.shows = DeviceKnowsCoin
		}
	}
	return true
}

// call reads a Move call. The parser knows calls that split a stake, followed by one call that stakes
// or unstakes, which must be the last command.
func (p *deviceParser) call(c MoveCall) (stake, ok bool) {
	if p.does != nothing || c.Package != systemPackage || len(c.TypeArgs) > 0 || len(c.Arguments) > MaxDeviceArguments {
		return false, false
	}
	arg := func(i int) Argument {
		if i < len(c.Arguments) {
			return c.Arguments[i]
		}
		return Argument{Kind: ArgInput, Index: ^uint16(0)}
	}
	name := c.Module + "::" + c.Function
	if name == "staking_pool::split" {
		return true, p.pure(arg(1), 8)
	}
	if state, shared := p.input(arg(0)).(SharedInput); !shared || state.ID != systemState {
		return false, false
	}
	p.does = staking
	_, coin := p.coin(arg(1))
	switch result := arg(1); name {
	case "sui_system::request_add_stake":
		return false, coin && p.pure(arg(2), len(Address{}))
	case "sui_system::request_add_stake_mul_coin":
		return false, p.result(result).list && p.pure(arg(2), 1, 9) && p.pure(arg(3), len(Address{}))
	case "sui_system::request_withdraw_stake":
		return false, coin || p.result(result).stake
	}
	return false, false
}

// result returns the command result that an argument refers to.
func (p *deviceParser) result(a Argument) (r deviceResult) {
	if a.Kind == ArgResult && int(a.Index) < len(p.results) {
		r = p.results[a.Index]
	}
	return r
}
