package sui

// ActiveValidator is a validator of the current epoch, as a node reports it. Name is
// untrusted text.
type ActiveValidator struct {
	Address    Address
	Name       string
	Commission uint64 // of rewards, in hundredths of a percent
	Power      uint64 // of votes, in hundredths of a percent
	NextStake  Raw    // MIST staked from the next epoch on
	Pool       StakingPool
}

// StakingPool is the pool behind a validator's stakes. Its tokens stand for shares of its SUI.
type StakingPool struct {
	ID         ObjectID
	Activation uint64 // the epoch of its first exchange rate
	Staked     Raw    // MIST
	Rewards    Raw    // MIST that can still be paid as rewards
	Rates      ObjectID
}
