package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// A page is opened for the user in one of three ways, tried in this order: the server starts the
// browser, if the user allowed that beforehand; a client that can open links is asked to open it; a
// client that can show questions asks the user whether the server may start the browser. The answer
// always contains a link.

// opened states what was done to open the page. With client_agreed, only the client reports this;
// whether the page was opened is known only from the page's session.
type opened string

const (
	linkOnly       opened = "link_only"
	browserStarted opened = "browser_started"
	clientAgreed   opened = "client_agreed"
	openDeclined   opened = "declined"
	openUnanswered opened = "unanswered"
	// openUnavailable means that the client itself declined, without asking the user.
	openUnavailable opened = "unavailable"
)

// Values lists the outcomes.
func (opened) Values() []string {
	return []string{string(linkOnly), string(browserStarted), string(clientAgreed), string(openDeclined),
		string(openUnanswered),
		string(openUnavailable)}
}

// opener creates links and opens their pages for the user.
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

// taking returns a function that removes the session of an answer that the client did not get. of
// returns the session's id.
func taking[Out any](o opener, kind pagetoken.Kind, of func(*Out) string) func(context.Context, *Out) {
	return func(ctx context.Context, out *Out) { o.withdraw.session(ctx, kind, of(out)) }
}

// pageNames holds the names of pages in questions. They are constants, so the client learns nothing
// about a page's content.
var pageNames = map[pagetoken.Kind]string{
	pagetoken.Connect:  "the page to connect your wallet account",
	pagetoken.Review:   "the page to review and sign",
	pagetoken.Settings: "the settings page",
	pagetoken.Bundle:   "the page to approve several transactions",
	pagetoken.Console:  "the console, which shows what waits for you,",
}

// opening makes a tool ask whether to open its page. of returns the page's subject and the answer's
// field for what was done.
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

// present starts the browser if the user has allowed that, or returns the question to ask.
func (o opener) present(c tool.Call, kind pagetoken.Kind, subject string) (opened, *tool.Question) {
	if c.Browser().Unasked && o.start(c, kind, subject) {
		return browserStarted, nil
	}
	page := pageNames[kind] + " of Say Ur Intent in the browser of this computer"
	if c.Client().OpensURL {
		// This link is a second one, so that the link in the answer stays unused.
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

// replied does what the user agreed to, and returns what was done.
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

// start opens the page in the browser with a separate link.
func (o opener) start(c tool.Call, kind pagetoken.Kind, subject string) bool {
	if c.Browser().Start == nil {
		return false
	}
	url, err := o.own.make(c.Context(), kind, subject)
	return err == nil && c.Browser().Start(c.Context(), url) == nil
}
