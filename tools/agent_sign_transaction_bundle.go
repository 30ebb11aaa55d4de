package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// bundleMode states how the steps of a bundle are executed.
type bundleMode string

// Modes: a transaction for each step, or one for all.
const (
	modeSteps  bundleMode = "steps"
	modeAtomic bundleMode = "atomic"
)

// Values lists the modes.
func (bundleMode) Values() []string { return []string{string(modeSteps), string(modeAtomic)} }

// mostSteps is the maximum number of steps in modeSteps.
const mostSteps = actions.MostSteps

// stepPlace is the position of a step in a bundle.
type stepPlace int64

// Shape implements tool.Shaped.
func (stepPlace) Shape() tool.Shape { return tool.Between(0, 1<<31) }

// bundleStep is one step of a bundle.
type bundleStep struct {
	ID       bookText       `json:"id" brief:"" description:"unique"`
	Sequence stepPlace      `json:"sequence" brief:"" description:"its place"`
	Chain    bookText       `json:"chain" description:"Sui"`
	Action   bookText       `json:"action,omitempty" brief:"" description:"your label; the page uses its own"`
	Intent   *actionIntent  `json:"intent,omitempty" brief:"" description:"as action.prepare_sui_action_review takes it"`
	Review   bookText       `json:"reviewSessionId,omitempty" description:"instead of intent"`
	ResultOf bookText       `json:"resultOf,omitempty" description:"earlier step whose proceeds this step uses; intent.from has only symbol"`
	Manager  bookText       `json:"managerOf,omitempty" description:"step that creates its manager"`
	Share    bookText       `json:"share,omitempty" description:"of the result: all (default), 1/2, 25%. The rest stays in the account"`
	Coin     bookText       `json:"coin,omitempty" hidden:"" description:"its symbol, where intent.from has none"`
	Wait     *bool          `json:"wait_for_receipt,omitempty" description:"before the next step; default true"`
	Timeout  receiptSeconds `json:"receipt_timeout_seconds,omitempty" description:"default 60"`
}

type signBundleIn struct {
	Mode         bundleMode   `json:"mode,omitempty" description:"steps (default): each signed in turn; a failure ends the rest. atomic: one transaction and signature, all or none. The person may choose the other"`
	Transactions []bundleStep `json:"transactions" description:"1 to 16 steps; atomic: 2 to 8"`
	Skip         bool         `json:"skip_approval,omitempty" description:"honored only if the user approved exactly these steps before"`
	Label        bookText     `json:"bundle_label,omitempty" description:"shown as your words"`
}

// bundleStepOut describes a step as it was understood.
type bundleStepOut struct {
	ID       string `json:"id" description:"as given"`
	Sequence int64  `json:"sequence" description:"as given"`
	Chain    string `json:"chain" description:"Sui"`
	Asked    string `json:"asked" description:"decoded request"`
	Protocol string `json:"protocol" description:"protocol that executes it"`

	Recipient *namedPayee `json:"recipient,omitempty" description:"recipient, if a name was given"`
}

type signBundleOut struct {
	Session    string          `json:"reviewSessionId,omitempty" description:"atomic: id for the session tools; one status and one digest for all steps"`
	Bundle     string          `json:"bundle_id,omitempty" description:"steps: the bundle"`
	Task       string          `json:"task_id,omitempty" description:"its task; with steps its result has mode, as the user chose it, transactions and bundle_success"`
	URL        string          `json:"reviewUrl" description:"link for the user to the approval page, or with atomic to the review; works once"`
	Opening    opened          `json:"opening" description:"how the page was opened; client_agreed is the client's claim"`
	OpenTarget string          `json:"openTarget" description:"where to open the link"`
	NextStep   string          `json:"nextStep" description:"what the user does next"`
	Network    string          `json:"network" description:"network the review is for"`
	Account    sui.Address     `json:"account" description:"account the review is bound to"`
	Status     reviewStatus    `json:"status,omitempty" description:"atomic: status of the new review"`
	State      bundleState     `json:"state,omitempty" description:"steps: state of the bundle"`
	Steps      []bundleStepOut `json:"transactions" description:"the steps in their order; nothing of it is signed yet"`
	Skipped    bool            `json:"skip_approval_honoured" description:"true if a stored approval replaced the page"`
	NotSkipped string          `json:"skip_approval_reason,omitempty" description:"why it was not honoured"`
	Preflight  preflight       `json:"preflight" description:"known obstacles; the pages check everything again"`
	Advice     string          `json:"advice,omitempty" description:"when the other mode suits"`
	ExpiresAt  time.Time       `json:"expiresAt" description:"expiry if unanswered, UTC"`
}

// agentSignTransactionBundle creates a bundle of several steps. In modeAtomic, that is a single
// review.
func agentSignTransactionBundle(reviews reviews, all bundles, names addressBook, page opener, tasks reviewTasks,
	network string) tool.Tool {
	return tool.Declare(tool.Spec[signBundleIn, signBundleOut]{
		Name:   request.Tool,
		Status: tool.BlockedSigning,
		Title:  "Prepare bundle",
		Summary: "Asks the user for several transactions, signed in turn or all in one, such as: swap, then send the " +
			"output.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.OpensSession,
		Errors:    []fault.Code{fault.ActiveAccountNotSet, fault.RegistryMiss, fault.Blocked, fault.InvalidSessionTransition},
		Toolset:   toolsetActions,
		Cases:     bundleCases(),
		Examples:  bundleExamples(),
		Run: func(c tool.Call, in signBundleIn) (signBundleOut, error) {
			steps, err := in.ordered()
			if err != nil {
				return signBundleOut{}, err
			}
			if in.Mode != modeAtomic {
				return askSteps(c, all, names, page, in, steps, network)
			}
			return prepareAtomic(c, reviews, names, page, tasks, steps)
		},
		Undo: func(ctx context.Context, out *signBundleOut) {
			page.withdraw.session(ctx, pagetoken.Review, out.Session)
			page.withdraw.session(ctx, pagetoken.Bundle, out.Bundle)
		},
		Asking: openingBundle(page),
	})
}

// openingBundle returns the question whether to open the page of the review or of the bundle.
func openingBundle(page opener) *tool.Asking[signBundleOut] {
	of := func(kind pagetoken.Kind, id func(*signBundleOut) string) *tool.Asking[signBundleOut] {
		return opening(page, kind, func(out *signBundleOut) (string, *opened) { return id(out), &out.Opening })
	}
	review := of(pagetoken.Review, func(out *signBundleOut) string { return out.Session })
	several := of(pagetoken.Bundle, func(out *signBundleOut) string { return out.Bundle })
	which := func(out *signBundleOut) *tool.Asking[signBundleOut] {
		if out.Bundle != "" {
			return several
		}
		return review
	}
	return &tool.Asking[signBundleOut]{
		Question: func(c tool.Call, out *signBundleOut) *tool.Question { return which(out).Question(c, out) },
		Replied: func(c tool.Call, out *signBundleOut, form bool, reply tool.Reply) {
			which(out).Replied(c, out, form, reply)
		},
	}
}

func bundleCases() []tool.Case[signBundleOut] {
	use := evidence.Use{
		Can:    evidence.Claims{evidence.ReviewLink},
		Cannot: notDone().And(evidence.Claims{evidence.RouteRecommendation, evidence.FundingSource}),
		Answer: []string{"reviewUrl", "opening", "nextStep", "transactions[].asked", "transactions[].protocol",
			"preflight.status", "preflight.blockers", "expiresAt"},
		Rules: []string{"openTarget", "skip_approval_honoured"},
	}
	atomic, steps := use, use
	atomic.Diagnostic = []string{"status"}
	atomic.Next = evidence.Ask(toolWaitResult, "It waits for the result.").
		With("reviewSessionId").Reading("status", "statusCategory", "executionResult")
	steps.Answer = append(slices.Clone(use.Answer), "advice")
	steps.Rules = append(slices.Clone(use.Rules), "skip_approval_reason")
	steps.Diagnostic = []string{"state"}
	steps.Next = evidence.Ask(toolTask,
		"Its result has transactions and bundle_success.").With("task_id").Reading("task.state", "task.outcome",
		"task.resultJson")
	return []tool.Case[signBundleOut]{
		{Name: "asked", Use: steps, When: func(out signBundleOut) bool { return out.Bundle != "" }},
		{Name: "prepared", Use: atomic},
	}
}

// prepareAtomic creates one review of all steps.
func prepareAtomic(c tool.Call, reviews reviews, names addressBook, page opener, tasks reviewTasks,
	steps []bundleStep) (signBundleOut, error) {
	out := signBundleOut{}
	wish, err := bundleOf(c.Context(), names, steps)
	if err != nil {
		return out, err
	}
	s, looked, err := reviews.PrepareLooking(c.Context(), wish)
	if err != nil {
		return out, err
	}
	out.Preflight = lookAhead(c.Context(), reviews, s, looked)
	out.Session, out.Task = string(s.ID), tasks(c.Context(), string(s.ID))
	if out.URL, err = page.link.make(c.Context(), pagetoken.Review, out.Session); err != nil {
		return out, err
	}
	out.Opening, out.OpenTarget, out.NextStep = linkOnly, systemBrowser, nextStep
	out.Network, out.Account, out.Status, out.ExpiresAt = s.Network, s.Account, reviewStatus(s.Status), s.ExpiresAt.UTC()
	for i, step := range s.Intent.Steps {
		out.Steps = append(out.Steps, bundleStepOut{ID: string(steps[i].ID), Sequence: int64(steps[i].Sequence),
			Chain: string(steps[i].Chain), Asked: step.Asked, Protocol: step.Protocol})
	}
	return out, nil
}

// ordered checks all steps and returns them sorted by sequence.
func (in signBundleIn) ordered() ([]bundleStep, error) {
	bad := func(field, format string, args ...any) ([]bundleStep, error) {
		return nil, fault.New(fault.InputInvalid, format, args...).With("field", "transactions[]."+field)
	}
	ids, places := map[bookText]bool{}, map[stepPlace]bool{}
	for _, s := range in.Transactions {
		switch {
		case ids[s.ID]:
			return bad("id", "Two steps have the id %q.", plan.Clip(string(s.ID)))
		case places[s.Sequence]:
			return bad("sequence", "Two steps have the sequence %d.", s.Sequence)
		case !strings.EqualFold(string(s.Chain), "Sui"):
			return bad("chain", "Only steps on Sui are supported. Nothing was prepared.")
		}
		ids[s.ID], places[s.Sequence] = true, true
	}
	return slices.SortedFunc(slices.Values(in.Transactions), func(a, b bundleStep) int {
		return cmp.Compare(a.Sequence,
			b.Sequence)
	}), nil
}

// bundleOf returns the intent that combines the steps, which must be in order.
func bundleOf(ctx context.Context, names addressBook, steps []bundleStep) (plan.Intent, error) {
	wish := plan.Intent{Type: plan.Bundle}
	for i, s := range steps {
		one, err := s.read(ctx, names, steps[:i])
		if err != nil {
			return wish, err
		}
		wish.Steps = append(wish.Steps, one)
	}
	if len(wish.Steps) == 0 {
		return wish, fault.New(fault.InputInvalid, "An atomic bundle takes 2 to 8 steps.").With("field", "transactions")
	}
	return wish, nil
}

// parted sets which share of an earlier result the step uses, and of which coin.
func (s bundleStep) parted(in *plan.Intent) error {
	bad := func(field, text string) error {
		return fault.New(fault.InputInvalid, "%s", text).With("field", "transactions[]."+field)
	}
	switch {
	case s.ResultOf == "" && s.Share != "":
		return bad("share",
			"share applies to a result. Name the step in resultOf, or use intent.from.share for a share of the balance.")
	case s.ResultOf == "" && s.Coin != "":
		return bad("coin", "coin applies to a result. Name the step in resultOf, or omit coin.")
	case s.ResultOf == "":
		return nil
	case in.From.Share != "":
		return bad("share", "The share of a result belongs next to resultOf, not in intent.from.")
	case s.Coin != "" && in.From.Symbol != "" && string(s.Coin) != in.From.Symbol:
		return bad("coin", "coin and intent.from.symbol name different coins. Pass one of them.")
	case s.Coin != "":
		in.From.Symbol = string(s.Coin)
	}
	in.From.Share = string(s.Share)
	return nil
}

func bundleExamples() []tool.Example {
	const somebody = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	const swap = `{"id":"a","sequence":0,"chain":"Sui","action":"Swap 10 SUI","intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}}`
	pay := func(of, chain string) string {
		return `{"id":"b","sequence":1,"chain":"` + chain + `","action":"Send it","resultOf":"` + of +
			`","intent":{"type":"transfer","from":{"symbol":"USDC"},"recipient":"` + somebody + `"}}`
	}
	const create = `{"id":"m","sequence":0,"chain":"Sui","intent":{"type":"manager-create"}}`
	fill := func(of string) string {
		return `{"id":"d","sequence":1,"chain":"Sui","managerOf":"` + of +
			`","intent":{"type":"manager-deposit","from":{"symbol":"SUI","amount":"10"}}},` +
			`{"id":"o","sequence":2,"chain":"Sui","managerOf":"` + of +
			`","intent":{"type":"limit-order","order":{"pool":"SUI_USDC","side":"sell","price":"9.5","quantity":"5"}}}`
	}
	bundle := func(steps string) string { return `{"mode":"atomic","transactions":[` + steps + `]}` }
	return []tool.Example{
		{Name: "swap and send", Given: givenConnected, In: bundle(swap + "," + pay("a", "Sui")), Case: "prepared"},
		{Name: "in another order", Given: givenConnected, In: bundle(pay("a", "Sui") + "," + swap), Case: "prepared"},
		{Name: "send half, keep the rest", Given: givenConnected, In: bundle(swap + "," + strings.Replace(pay("a", "Sui"),
			`"resultOf"`, `"share":"1/2","coin":"USDC","resultOf"`, 1)), Case: "prepared"},
		{Name: "a share of no result", Given: givenConnected, In: bundle(swap + "," + strings.Replace(pay("a", "Sui"),
			`"resultOf":"a"`, `"share":"1/2"`, 1)), Fault: fault.InputInvalid},
		{Name: "another coin", Given: givenConnected, In: bundle(swap + "," + strings.Replace(pay("a", "Sui"), `"resultOf"`,
			`"coin":"DEEP","resultOf"`, 1)), Fault: fault.InputInvalid},
		{Name: "the result of nobody", Given: givenConnected, In: bundle(swap + "," + pay("c", "Sui")),
			Fault: fault.InputInvalid},
		{Name: "a first order", Given: givenConnected, In: bundle(create + "," + fill("m")), Case: "prepared"},
		{Name: "what no step makes", Given: givenConnected, In: bundle(create + "," + fill("x")), Fault: fault.InputInvalid},
		{Name: "one step", Given: givenConnected, In: bundle(swap), Fault: fault.InputInvalid},
		{Name: "one after another", Given: givenConnected, In: `{"bundle_label":"Swap and send","transactions":[` + swap +
			"," + pay("a", "sui") + `]}`, Case: "asked"},
		{Name: "one step by itself", Given: givenConnected, In: `{"transactions":[` + swap + `]}`, Case: "asked"},
		{Name: "exactly that once more", Given: givenConnected, In: `{"transactions":[` + swap + `]}`,
			Fault: fault.InvalidSessionTransition},
		{Name: "what was done just now", Given: givenSwapped, In: `{"transactions":[` + swap + `]}`, Case: "asked"},
		{Name: "another chain", Given: givenConnected, In: bundle(swap + "," + pay("a", "Ethereum")),
			Fault: fault.InputInvalid},
		{Name: "one id twice", Given: givenConnected, In: bundle(swap + "," + swap), Fault: fault.InputInvalid},
		{Name: "no account", Given: givenNothing, In: bundle(swap + "," + pay("a", "Sui")), Fault: fault.ActiveAccountNotSet},
		{Name: "unknown coin", Given: givenConnected, In: bundle(strings.Replace(swap, "USDC", "NOPE", 1) + "," +
			pay("a", "Sui")), Fault: fault.RegistryMiss},
		{Name: "no pages", Given: givenNoPages, In: bundle(swap + "," + pay("a", "Sui")), Fault: fault.Blocked},
	}
}
