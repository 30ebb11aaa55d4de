package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Call is an authorized request. Right checks the page token again. Pass it to the transaction that
// stores what the call changes.
type Call struct {
	W     http.ResponseWriter
	R     *http.Request
	ID    string         // the {id} in the path
	Pass  pagetoken.Pass // the pass of the calling page
	Right func(context.Context) error

	server  *Server
	counted string // name of the caller in the limit of concurrent requests
}

// Ctx is canceled when the caller disconnects.
func (c *Call) Ctx() context.Context { return c.R.Context() }

// Network returns the server's network, such as sui:mainnet.
func (c *Call) Network() string { return c.server.Network }

// Sandbox reports whether the network is a practice chain inside this computer.
func (c *Call) Sandbox() bool { return c.server.Sandbox != nil }

// WalletChain returns the Wallet Standard chain that pages accept.
func (c *Call) WalletChain() string { return c.server.WalletChain }

// Host returns the address and port of the server.
func (c *Call) Host() string { return c.server.host }

// HomeCommand returns the command that prints a link to the home page, or "".
func (c *Call) HomeCommand() string { return c.server.HomeCommand }

// Now returns the time of the server's clock.
func (c *Call) Now() time.Time { return c.server.Now() }

// Log returns the server's log.
func (c *Call) Log() *slog.Logger { return c.server.Log }

// Head describes the page token. It is part of the data of every View.
type Head struct {
	Status, Access        string
	Session               string // scope of the tab's session: "wide" or "one"
	ReadOnly, OpenedTwice bool
	Revision              int64
}

// Head returns the Head of the calling page, except Status and Revision, which the page sets.
func (c *Call) Head() (h Head, err error) {
	h.Session = reach(c.Pass)
	h.Access, h.ReadOnly = string(c.Pass.Access), c.Pass.Access != pagetoken.Active
	h.OpenedTwice, err = c.server.Desk.OpenedTwice(c.Ctx(), c.Pass.Kind, c.Pass.Subject)
	return h, err
}

// Frozen reports whether the user has paused signing.
func (c *Call) Frozen() (bool, error) { return c.server.Frozen(c.Ctx()) }

// TakeOver makes the calling tab the active one.
func (c *Call) TakeOver() error { return c.server.Desk.Continue(c.Ctx(), c.Pass) }

// Used returns the account in use.
func (c *Call) Used() (InUse, error) { return c.server.used(c.Ctx()) }

// Body decodes the JSON body of a call. It refuses unknown, duplicate and misspelled keys, and
// data after the object.
func Body[T any](c *Call) (T, error) {
	var none T
	b, err := io.ReadAll(c.R.Body) // the body has already been read
	if err != nil {
		return none, err
	}
	if !bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) {
		return none, Refuse(http.StatusBadRequest, "body", "Send a JSON object.")
	}
	return strictjson.Decode[T](b)
}

// Reads returns a Handler that decodes the body of a call and passes it to run.
func Reads[T any](run func(*Call, T) error) Handler {
	return func(c *Call) error {
		in, err := Body[T](c)
		if err != nil {
			return err
		}
		return run(c, in)
	}
}

// Empty returns a Handler that requires an empty JSON object as the body of a call.
func Empty(run Handler) Handler {
	return Reads(func(c *Call, _ struct{}) error { return run(c) })
}

// JSON responds with v as JSON.
func JSON[T any](c *Call, status int, v T) error {
	writeJSON(c.W, status, v)
	return nil
}

// Result responds with v as JSON, or returns err.
func Result[T any](c *Call, v T, err error) error {
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, v)
}

// HTML responds with HTML.
func (c *Call) HTML(b []byte) error { return c.Bytes(htmlType, b) }

// Bytes responds with content of a media type.
func (c *Call) Bytes(kind string, b []byte) error {
	write(c.W, http.StatusOK, kind, b)
	return nil
}

// Said is the response to an action of the user on a page. Says describes the result. Token is a
// new access token, which is shown only here; it is usually "".
type Said struct {
	Done  bool   `json:"done"`
	Says  string `json:"says"`
	Token string `json:"token"`
}

// Done responds that an action was done, and describes its result.
func (c *Call) Done(says string) error { return JSON(c, http.StatusOK, Said{Done: true, Says: says}) }

// Unhurried removes the deadline of the response, for handlers that have their own time limits.
func (c *Call) Unhurried() {
	_ = http.NewResponseController(c.W).SetWriteDeadline(time.Time{})
}

// Fragment responds with a template, followed by the account in use, which the page's script
// moves into the header.
func Fragment[T any](c *Call, name string, data T) error {
	used, err := c.Used()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := c.server.render(&b, name, data); err != nil {
		return err
	}
	if err := c.server.render(&b, "inuse.html", used); err != nil {
		return err
	}
	return c.HTML(b.Bytes())
}

// Bare responds with a template only, without the account in use.
func Bare[T any](c *Call, name string, data T) error {
	var b bytes.Buffer
	if err := c.server.render(&b, name, data); err != nil {
		return err
	}
	return c.HTML(b.Bytes())
}

// RequireWide returns an error unless the calling tab belongs to a browser session.
func (c *Call) RequireWide() error {
	if c.Wide() {
		return nil
	}
	return fault.New(fault.InvalidSessionTransition,
		"The link of this page opens nothing else. Open your pages, or let your wallet sign a message here.")
}

// Wide reports whether the calling tab belongs to a browser session, which can open all pages.
func (c *Call) Wide() bool { return c.Pass.Wide() }

// LeadTo responds with the address of another page, such as the review of a step. A tab of a
// browser session opens it with its session. Any other tab gets a one-time link that opens only
// that page.
func (c *Call) LeadTo(kind pagetoken.Kind, subject string) error {
	at := c.server.origin + "/" + string(kind) + "/" + subject
	//mutant:always ./review/web TestLinksOfASession
	if !c.Wide() {
		code, err := c.server.Desk.Link(c.Ctx(), kind, subject, 0)
		if err != nil {
			return err
		}
		at += "#" + code.Reveal()
	}
	return JSON(c, http.StatusOK, struct {
		URL string `json:"url"`
	}{at})
}
