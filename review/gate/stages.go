package gate

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A computation goes through the types below in this order. Each embeds the one before, so
// what a function takes says what it may see: never the result of a later stage.

// input is what a computation begins with.
type input struct {
	c        Config
	session  record.Session
	adapters []plan.Adapter // one for each step
	meta     plan.Meta      // of the first step: what checks of the whole are named after
	chainID  string         // as the node reports it
	device   bool           // the account signs on a hardware wallet
	wish     record.WishReader
	*notes
}

// notes is what stages report in addition to their results.
type notes struct {
	checks     []plan.Check
	notChecked []plan.RuleID // rules whose facts cannot be had here
	completed  []plan.StageID
}

// check adds a check to the review.
func (n *notes) check(c plan.Check) { n.checks = append(n.checks, c) }

// planned is the steps as their adapters left them. Each adapter sees only its own step.
type planned struct {
	*input
	steps  []*plan.Step
	venues []lookout   // other prices, one for each step
	late   *time.Timer // ends the wait for venues
}

// funded is the steps as agreed, with what the account has for them and what else it asked for.
type funded struct {
	*planned
	promise  plan.Promise         // of all steps
	open     []record.OpenRelease // of the account, of other reviews
	asked    []record.Asked       // elsewhere, and excluded by no coin
	approval record.Approval      // that the review is a part of
	epoch    sui.Epoch
	keys     []sui.Address // other than its own that may sign for the account
	holdings []record.Holding
	gasless  *gasless // what the chain moves without gas; nil until it was asked
}

// built is the bytes of a transaction, and the coins that it uses.
type built struct {
	*funded
	chosen  chosen
	bytes   []byte
	builtAt time.Time
}

// decoded is the transaction that the bytes say. Every later stage checks this one, not
// the one that was built.
type decoded struct {
	*built
	tx         *sui.Transaction
	digest     sui.Digest
	commitment string
}

// owned is the objects that the bytes name, as the node reports them.
type owned struct {
	*decoded
	coinsAt   time.Time // when a node described the coins
	objects   []sui.Object
	ownership record.ContractOwnership
}

// described is what the adapters read in the bytes.
type described struct {
	*owned
	facts *plan.Facts
	human *record.HumanReview
}

// simulated is what the bytes would do now.
type simulated struct {
	*described
	sim     sui.Simulation
	summary *record.SimulationSummary
}

// judged is a transaction that passed every check.
type judged struct {
	*simulated
	contract *record.Contract
	visual   *record.Visualization
}

// stage is how far a computation came: one of the types above.
type stage interface {
	start() *input
	report(*Finding) // adds what is known by now
}

func (r *input) start() *input { return r }

// gate is one step of the platform: it takes a stage and returns the next one, as far as it
// came if there is an error.
type gate struct {
	id    plan.StageID
	words string // for people
	run   func(context.Context, stage) (stage, error)
}

// gates follow every adapter's stages. No adapter can leave one out, change
// their order or see them.
func gates() []gate {
	return []gate{
		at(plan.StageMaterial, "Building the transaction", build),
		at(plan.StageDigest, "Fixing its digest", decode),
		at(plan.StageOwnership, "Checking who owns what it uses", own),
		at(plan.StageHumanReview, "Decoding it back into plain facts", describe),
		at(plan.StageSimulation, "Trying it out on a node, with every check on", simulate),
	}
}

func at[From, To stage](id plan.StageID, words string, work func(context.Context, From) (To, error)) gate {
	return gate{id, words, func(ctx context.Context, from stage) (stage, error) { return work(ctx, from.(From)) }}
}

// check judges a transaction that was simulated.
type check func(context.Context, *simulated) error

// checks follow the gates, in this order.
func checks() []check {
	return []check{
		ofFacts(crossBytes),
		crossEffects,
		ofFacts(allow),
		ofFacts(meet),
		ofFacts(weighShares),
		weighGas,
		ofSteps(weighPrices),
		compare,
	}
}

// ofFacts returns a check that does not see the simulation.
func ofFacts(judge func(context.Context, *described) error) check {
	return func(ctx context.Context, r *simulated) error { return judge(ctx, r.described) }
}

// ofSteps returns a check that does not see the bytes.
func ofSteps(judge func(context.Context, *planned) error) check {
	return func(ctx context.Context, r *simulated) error { return judge(ctx, r.planned) }
}
