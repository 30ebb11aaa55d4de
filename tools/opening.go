package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// How a page comes before the user. In this order: the browser is started, where the user said at
// the start of the server that it may be; a client that can open links is asked to; a client that
// can ask a question asks whether the browser may be started. Whatever comes of it, the answer has
// a link.

// opened says what was done to bring the page before the user. client_agreed is the word of the
// client: whether anybody opened the page is said by the page's session alone.
type opened string

const (
	linkOnly       opened = "link_only"
	browserStarted opened = "browser_started"
	clientAgreed   opened = "client_agreed"
	openDeclined   opened = "declined"
	openUnanswered opened = "unanswered"
	// openUnavailable is no word of a user: the client declined by itself.
	openUnavailable opened = "unavailable"
)

// Values lists what can be said.
func (opened) Values() []string {
	return []string{string(linkOnly), string(browserStarted), string(clientAgreed), string(openDeclined),
		string(openUnanswered),
		string(openUnavailable)}
}

// opener makes links and brings their pages before the user.
type opener struct {
	link     Link
	own      Link // for a browser that the server starts
	withdraw Withdraw
}

func (d Deps) opener() opener {
	own := d.OwnLink
	if own == nil {
		own = d.Link
	}
	return opener{d.Link, own, d.Withdraw}
}

// taking returns what takes back a session that nobody was given; of returns its id.
func taking[Out any](o opener, kind pagetoken.Kind, of func(*Out) string) func(context.Context, *Out) {
	return func(ctx context.Context, out *Out) { o.withdraw.session(ctx, kind, of(out)) }
}

// pageNames say in a question which page it is about. They are fixed: what a
// page shows is not told to the client.
var pageNames = map[pagetoken.Kind]string{
	pagetoken.Connect:  "the page to connect your wallet account",
	pagetoken.Review:   "the page to read and decide a review",
	pagetoken.Settings: "the settings page",
	pagetoken.Bundle:   "the page to approve several transactions",
	pagetoken.Console:  "the console, which shows what waits for you,",
}

// opening returns what a tool with a link adds to its declaration: of gives the subject of the link
// in an answer, and the field that says what was done.
func opening[Out any](o opener, kind pagetoken.Kind, of func(*Out) (subject string, done *opened)) *tool.Asking[Out] {
	return &tool.Asking[Out]{
		Question: func(c tool.Call, out *Out) *tool.Question {
			subject, done := of(out)
			var q *tool.Question
			*done, q = o.present(c, kind, subject)
			return q
		},
		Replied: func(c tool.Call, out *Out, form bool, reply tool.Reply) {
			subject, done := of(out)
			*done = o.replied(c, kind, subject, form, reply)
		},
	}
}

// present starts the browser where that is agreed, or gives what to ask.
func (o opener) present(c tool.Call, kind pagetoken.Kind, subject string) (opened, *tool.Question) {
	if c.Browser().Unasked && o.start(c, kind, subject) {
		return browserStarted, nil
	}
	page := pageNames[kind] + " of Say Ur Intent in the browser of this computer"
	if c.Client().OpensURL {
		// A link of its own: the one in the answer stays good for one opening.
		url, err := o.link.make(c.Context(), kind, subject)
		if err != nil {
			return linkOnly, nil
		}
		return linkOnly, &tool.Question{Message: "Open " + page + "?", URL: url}
	}
	if c.Client().AsksForm && c.Browser().Start != nil && !c.Browser().Unasked {
		return linkOnly, &tool.Question{Message: "May " + page + " be opened now? If not, the link is in the answer."}
	}
	return linkOnly, nil
}

// replied does what the user agreed to, and says what was done.
func (o opener) replied(c tool.Call, kind pagetoken.Kind, subject string, form bool, reply tool.Reply) opened {
	switch {
	case reply == tool.Declined:
		return openDeclined
	case reply == tool.Unavailable:
		return openUnavailable
	case reply != tool.Accepted:
		return openUnanswered
	case !form:
		return clientAgreed
	case o.start(c, kind, subject):
		return browserStarted
	}
	return linkOnly
}

// start shows the page in the browser, by a link of its own.
func (o opener) start(c tool.Call, kind pagetoken.Kind, subject string) bool {
	if c.Browser().Start == nil {
		return false
	}
	url, err := o.own.make(c.Context(), kind, subject)
	return err == nil && c.Browser().Start(c.Context(), url) == nil
}
