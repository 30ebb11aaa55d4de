package gate

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A computation goes through the types below in this order. Each type embeds the previous one, so a
// function's parameter shows what it can see: never the result of a later stage.

// input has the inputs of a computation.
type input struct {
	c        Config
	session  record.Session
	adapters []plan.Adapter // one for each step
	meta     plan.Meta      // of the first step; names the checks of the whole transaction
	chainID  string         // as the node reports it
	device   bool           // the account signs on a hardware wallet
	wish     record.WishReader
	*notes
}

// notes are the findings of the stages in addition to their results.
type notes struct {
	checks     []plan.Check
	notChecked []plan.RuleID // rules whose facts are unavailable
	completed  []plan.StageID
}

// check adds a check to the review.
func (n *notes) check(c plan.Check) { n.checks = append(n.checks, c) }

// planned has the steps as their adapters filled them. Each adapter sees only its own step.
type planned struct {
	*input
	steps  []*plan.Step
	venues []lookout   // other prices, one for each step
	late   *time.Timer // ends the wait for venues
}

// funded adds the agreed promise and the account's funds and other requests.
type funded struct {
	*planned
	promise  plan.Promise         // sum of all steps
	open     []record.OpenRelease // open releases of the account's other reviews
	asked    []record.Asked       // other requests that no coin excludes
	approval record.Approval      // approved bundle that the review is part of
	epoch    sui.Epoch
	keys     []sui.Address // other keys that may sign for the account
	holdings []record.Holding
	gasless  *gasless // whether the coin moves without gas; nil until the chain was asked
}

// built has the bytes of a transaction and the coins that it uses.
type built struct {
	*funded
	chosen  chosen
	bytes   []byte
	builtAt time.Time
}

// decoded is the transaction decoded from the bytes. Every later stage checks this transaction, not
// the one that was built.
type decoded struct {
	*built
	tx         *sui.Transaction
	digest     sui.Digest
	commitment string
}

// owned adds the objects that the bytes name, as the node reports them.
type owned struct {
	*decoded
	coinsAt   time.Time // when a node described the coins
	objects   []sui.Object
	ownership record.ContractOwnership
}

// described adds the facts that the adapters read from the bytes.
type described struct {
	*owned
	facts *plan.Facts
	human *record.HumanReview
}

// simulated adds what the bytes would do now.
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

// stage is the progress of a computation: one of the types above.
type stage interface {
	start() *input
	report(*Finding) // adds what is known so far
}

func (r *input) start() *input { return r }

// gate is one stage of the platform. It returns the next type; on an error, as far as it is
// complete.
type gate struct {
	id    plan.StageID
	words string // for users
	run   func(context.Context, stage) (stage, error)
}

// gates lists the stages that follow those of every adapter. No adapter can omit, reorder or see
// them.
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

// check is one check of a simulated transaction.
type check func(context.Context, *simulated) error

// checks lists the checks that follow the gates, in order.
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

// ofFacts returns a check that cannot see the simulation.
func ofFacts(judge func(context.Context, *described) error) check {
	return func(ctx context.Context, r *simulated) error { return judge(ctx, r.described) }
}

// ofSteps returns a check that cannot see the bytes.
func ofSteps(judge func(context.Context, *planned) error) check {
	return func(ctx context.Context, r *simulated) error { return judge(ctx, r.planned) }
}
