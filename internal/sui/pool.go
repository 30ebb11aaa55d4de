package sui

// ActiveValidator is a validator of the current epoch, as a node reports it. Name is
// untrusted text.
type ActiveValidator struct {
	Address    Address
	Name       string
	Commission uint64 // share of rewards, in basis points
	Power      uint64 // share of votes, in basis points
	NextStake  Raw    // MIST staked from the next epoch on
	Pool       StakingPool
}

// StakingPool is the pool of a validator's stakes. Its tokens represent shares of its SUI.
type StakingPool struct {
	ID         ObjectID
	Activation uint64 // epoch of its first exchange rate
	Staked     Raw    // MIST
	Rewards    Raw    // MIST still to be paid as rewards
	Rates      ObjectID
}
