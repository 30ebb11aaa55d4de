package tools

// The situations that examples run in. They are words for a reader; the tests
// that replay the examples bring each of them about.
const (
	givenNothing     = "nothing is connected"
	givenConnected   = "a wallet account is connected"
	givenLink        = "a connect link was made and not opened"
	givenIdentity    = "the person connected a wallet through the link"
	givenRefusal     = "the person refused in the wallet"
	givenLimits      = "the person set limits on the settings page"
	givenPrepared    = "a review is prepared and not opened"
	givenReady       = "the review is computed and ready"
	givenBlocked     = "the review is blocked: the account holds too little"
	givenDeclined    = "the person declined the review"
	givenUnsettled   = "the person signed, and the node has not told the result"
	givenSwapped     = "the person signed, and the swap is on chain"
	givenFailed      = "the person signed, and the transaction failed on chain"
	givenManager     = "the account has a DeepBook balance manager with open orders"
	givenNodeDown    = "the node cannot be reached"
	givenNoVersion   = "the pool admits no version that is known here"
	givenNodeLies    = "the node answers with values of another shape"
	givenNodeRefuses = "the node refuses the simulation"
	givenSeveral     = "six reviews were prepared"
	givenNoPages     = "no pages are served"
	givenOddCoins    = "the account holds coins without a description, and some that imitate others"
	givenStuckList   = "the node's list of balances does not advance"
	givenTwiceListed = "the node lists one coin twice"
	givenNoList      = "the node refuses to list balances"
	givenNoCache     = "the cache of coin metadata cannot be used"
)
