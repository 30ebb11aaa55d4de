// Package tools implements the MCP tools. Each tool has a file that declares its name, arguments,
// answer and guidance.
//
// The package does no I/O and never handles transaction bytes. Tools use small interfaces that the
// caller of [All] implements.
package tools

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Link returns a link to a page of this process: http://127.0.0.1:port/kind/id#code. If no page is
// served, it returns an error whose text is written for users.
type Link func(ctx context.Context, kind pagetoken.Kind, id string) (string, error)

// make returns the link. If this process serves no pages, the error is fault.Blocked, because the
// installation must be fixed and not the session.
func (l Link) make(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
	url, err := l(ctx, kind, id)
	if fault.Is(err, fault.HandoffUnavailable) {
		return "", fault.Wrap(err, fault.Blocked, "%s", fault.As(err).Text)
	}
	return url, err
}

// Withdraw undoes what a call created if the client does not get the answer. The zero value does
// nothing.
type Withdraw struct {
	// Session removes a session and its unused links. A session whose page the user has opened is
	// kept.
	Session func(ctx context.Context, kind pagetoken.Kind, id string) error
	// Link removes a link unless it was opened.
	Link func(ctx context.Context, kind pagetoken.Kind, id, link string) error
}

func (w Withdraw) session(ctx context.Context, kind pagetoken.Kind, id string) {
	if w.Session != nil && id != "" {
		_ = w.Session(ctx, kind, id) // on failure the link expires
	}
}

func (w Withdraw) link(ctx context.Context, kind pagetoken.Kind, id, link string) {
	if w.Link != nil && link != "" {
		_ = w.Link(ctx, kind, id, link)
	}
}

// Deps holds the dependencies of the tools. With the zero value, tools can be listed and documented
// but not called.
type Deps struct {
	PageLinks
	ChainReaders
	SourceProjects
	About     About
	Accounts  accounts
	Reviews   reviews
	Book      book
	Prices    prices
	Router    router
	Assets    holdings
	Inventory inventory
	History   past
	Activity  activityReader
	Settings  localSettings
	Bus       conversations
	Names     addressBook
	Actions   executor
	Bundles   bundles
	Plans     planner
	Watched   watchList
	Runner    runner
	// Now returns the current time, for deadlines.
	Now func() time.Time
	// PriceBeat is the interval at which a watched price is read; 0 means the default.
	PriceBeat time.Duration
}

// PageLinks creates and withdraws links to pages.
type PageLinks struct {
	Link Link
	// OwnLink creates links that start a browser session, for a browser that the server itself
	// starts. They must not appear in an answer. If nil, Link is used.
	OwnLink  Link
	Withdraw Withdraw
}

// ChainReaders holds the readers of accounts, packages and names on chain.
type ChainReaders struct {
	Positions otherReader
	Staking   stakingReader
	Standing  permissions // lists permissions to act without the wallet
	Packages  packages
	Resolver  resolver
}

// SourceProjects gives access to the user's source projects.
type SourceProjects struct {
	Projects projects
	Sources  sources             // finds functions in the projects, or nil
	Editor   workspace.Forwarder // forwards calls to a connected editor; may be nil
}

// reviewTasks returns the id of a review's task, or "" if the task tools are not served.
type reviewTasks func(ctx context.Context, review string) string

func (d Deps) reviewTasks() reviewTasks {
	return func(ctx context.Context, review string) string {
		if d.Bus == nil || !d.About.Toolsets.Bus() {
			return ""
		}
		t, ok, err := d.Bus.TaskOf(ctx, record.Subject(record.ID(review)))
		if err != nil || !ok {
			return ""
		}
		return t.ID
	}
}

// All returns the implemented tools, grouped by the first part of their names.
func All(d Deps) []tool.Tool {
	var all []tool.Tool
	d.About.catalogue = func() []Entry { return catalogueOf(all) }
	all = tool.MarkPlanned(slices.Concat(d.readTools(), d.userTools(), d.agentTools()), Planned())
	return all
}

// readTools returns the tools that only read.
func (d Deps) readTools() []tool.Tool {
	held := wallet{d.Assets, d.Positions, d.Book, d.Accounts, d.About.Network}
	return []tool.Tool{
		readGetServerStatus(d.About),
		readListSupportedProtocols(d.About.Network),
		readListDeepbookPools(d.About.Network),
		readListDeepbookTokens(d.About.Network),
		readInspectDeepbookOrderbook(d.Book, d.About.Network),
		readGetDeepbookMidPrice(d.Book, d.About.Network),
		readQuoteDeepbookAction(d.Book, d.About.Network),
		readQuoteDeepbookDisplayAmount(d.Book, d.About.Network),
		readGetDeepbookPriceHistory(d.Prices, d.About.Network),
		readGetDeepbookPriceAtTime(d.Prices, d.About.Network),
		readGetDeepbookPriceImpact(d.Book, d.About.Network),
		readListFlowxPools(d.About.Network),
		readQuoteFlowxSwap(d.Router, d.About.Network),
		readSummarizeDeepbookAccountInventory(d.Inventory, d.Accounts, d.About.Network),
		readListDeepbookOpenOrders(d.Inventory, d.Accounts, d.About.Network),
		readSummarizeWalletAssets(held, d.Book),
		readClassifyWalletAssets(held),
		readListValidators(d.Staking, d.About.Network),
		readListSettlementAssetGroups(d.About),
		readSummarizeSettlementAssetGroupParity(d.Assets, d.About),
		readPreviewIntentEvidence(d.Assets, d.Accounts, d.About),
		readListReviewActivity(d.History, d.Accounts, d.Names, d.About.Network),
		readSummarizeReviewFunnel(d.History, d.Accounts, d.About.Network),
		readGetReviewSessionDetail(d.History, d.Accounts, d.Names, d.About.Network),
		readInspectSuiTransaction(namedActivity{d.Activity, d.Names}, d.Sources, d.About.Network),
		readScanSuiAccountActivity(namedActivity{d.Activity, d.Names}, d.Accounts, d.About.Network),
		readSummarizeSuiActivityScan(namedActivity{d.Activity, d.Names}, d.Accounts, d.About.Network),
		readScanSuiFunctionActivity(namedActivity{d.Activity, d.Names}, d.Accounts, d.About.Network),
		readSummarizeSuiFunctionActivityScan(namedActivity{d.Activity, d.Names}, d.Accounts, d.About.Network),
		readSummarizeSuiAccountActivity(d.Activity, d.Accounts, d.About.Network),
		readGetAccountAssetTimeline(d.Activity, d.Accounts, d.About.Network),
		readResolveName(d.Resolver, d.Now, d.About.Network),
		readListStandingPermissions(d.Standing, d.Accounts, d.Now, d.About.Network),
	}
}

// userTools returns the tools for reviews, accounts and settings, which involve the user.
func (d Deps) userTools() []tool.Tool {
	return []tool.Tool{
		actionPrepareSuiActionReview(d.Reviews, d.Names, d.opener(), d.reviewTasks()),
		actionPrepareExternalProposalReview(d.Reviews, d.Sources, d.opener(), d.reviewTasks()),
		sessionCreateWalletIdentity(d.Accounts, d.opener(), d.About.Network),
		sessionGetWalletIdentity(d.Accounts, d.About.Network),
		sessionWaitWalletIdentity(d.Accounts, d.About.Network),
		sessionGetInteractionStatus(d.History, d.Accounts, d.Reviews, d.Link, d.Withdraw, d.About),
		sessionGetReviewStatus(d.Reviews, d.Link, d.Withdraw, d.About),
		sessionGetExecutionResult(d.Reviews),
		sessionWaitExecutionResult(d.Reviews),
		accountGetActiveAccount(d.Accounts, d.About.Network),
		accountClearActiveAccount(d.Accounts, d.History, d.About.Network),
		settingsCreateLocalSettingsSession(d.Settings, d.opener(), d.Now, d.About.Network),
		settingsGetLocalSettings(d.Settings, d.About.Network),
	}
}

// agentTools returns the tools for events, tasks, the address book, plans and source projects.
func (d Deps) agentTools() []tool.Tool {
	return []tool.Tool{
		eventsList(d.Bus, d.Reviews, d.About.Network),
		eventsWait(d.Bus, d.About.Network),
		eventsCreateConsoleSession(d.Bus, d.opener(), d.Now, d.About.Network),
		eventsAskUser(d.Bus, d.opener(), d.Now, d.About.Network),
		taskGet(d.Bus, d.Runner, d.Reviews, d.About.Network),
		taskList(d.Bus, d.Runner, d.Reviews, d.About.Network),
		taskCancel(d.Bus, d.About.Network),
		taskWatchPrice(d.Runner, d.Book, d.Bus, d),
		taskScanActivity(d.Runner, d.Activity, d.Accounts, d.Bus, d.About.Network),
		taskFetchPackageInterfaces(d.Runner, d.Packages, d.Bus, d.About.Network),
		agentGetAddressBook(d.Actions, d.Names, d.About.Network),
		agentAddAddressBook(d.Actions, d.Names, d.About.Network),
		agentDeleteAddressBook(d.Actions, d.Names, d.About.Network),
		agentAddToken(d.Actions, d.Watched, d.About.Network),
		agentAddChain(d.Actions, d.Watched, d.About.Network),
		agentSignTransactionBundle(d.Reviews, d.Bundles, d.Names, d.opener(), d.reviewTasks(), d.About.Network),
		agentSetExecutionPlan(planning{d.Plans, d.Bus, d.opener(), d.About.Network}),
		agentNextGroups(planning{d.Plans, d.Bus, d.opener(), d.About.Network}),
		agentListWatch(d.Watched, d.Accounts, d.About.Network),
		workspaceListProjects(d.bench()),
		workspaceGrepFile(d.bench()),
		workspaceReadFile(d.bench()),
		workspaceCallChain(d.bench(), d.Now),
		workspaceApplyChange(d.bench(), d.Runner, d.Bus),
		workspaceIndexProject(d.bench(), d.Runner, d.Bus),
	}
}
