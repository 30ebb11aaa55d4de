// Package console is the page of one AI client: its questions, reviews, tasks and events. Every tab
// is active, because its actions do not affect other tabs. Its routes release no bytes.
package console

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/editor"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

//go:embed console.html console.js bus.js
var files embed.FS

// Config configures the page. All fields are required.
type Config struct {
	Lists *listing.Lists
	Bus   Bus
	// Bundle returns the bundle of a task. It returns false if the bundle has ended.
	Bundle func(ctx context.Context, t bus.Task) (listing.Bundle, bool, error)
	Editor *editor.Editor
}

// Bus reads the log and cancels tasks.
type Bus interface {
	bus.Conversations
	Snapshot(ctx context.Context, session string) (bus.State, error)
	bus.TaskReader
	CancelTask(ctx context.Context, id string) (bus.Task, error)
	// SettleTasks ends the tasks that have expired.
	SettleTasks(ctx context.Context) error
	// Latest returns the last events that match a filter, latest first.
	Latest(ctx context.Context, f bus.Filter, most int) ([]bus.Event, error)
}

type page struct{ Config }

// New returns the page.
func New(c Config) web.Page {
	p := &page{c}
	return web.Page{
		Kind: pagetoken.Console, Name: "console", Entry: "home", Title: "Console", Path: "/console/{id}",
		API:   "/api/console/{id}",
		Files: files, View: p.view, Known: p.known,
		Routes: []web.Route{
			web.Post("/api/console/{id}/open", web.WithToken, pagetoken.Console, p.openReview),
			web.Post("/api/console/{id}/explain", web.WithToken, pagetoken.Console, web.Reads(p.explain)),
			web.Post("/api/console/{id}/cancel", web.WithToken, pagetoken.Console, web.Reads(p.cancel)),
		},
	}
}

// known returns an error if the conversation is not known.
func (p *page) known(ctx context.Context, session string) error {
	_, client, err := p.Bus.Following(ctx, session)
	if err == nil && client == "" {
		err = fault.New(fault.SessionNotFound, "This conversation is not remembered.")
	}
	return err
}

// mostPast is the maximum number of past events that the console lists.
const mostPast = 25

// consolePage is the console as text. Cursor continues the stream without a gap. Next is the time
// of the next change that has no event; "" for none.
type consolePage struct {
	Title, Text, Client, Session, Cursor, Next string
	Count                                      int
	OpenedTwice, Frozen                        bool
	Changes                                    []editor.Change
	Questions                                  []questionLine
	Reviews                                    []listing.Line
	Bundles                                    []listing.Bundle
	Tasks                                      []taskLine
	Past                                       []pastLine
	Asks                                       []consoleAsk
}

// questionLine is an open question. Its text is the client's.
type questionLine struct {
	ID, Text, Until string
	Choices         []choiceLine
}

// choiceLine is one answer. Value is sent, Text is shown.
type choiceLine struct{ Value, Text string }

// taskLine is a running task.
type taskLine struct {
	ID, Tool, Stage, Message, Percent string
	Cancelling                        bool
}

func (p *page) view(c *web.Call) error {
	v, err := p.read(c)
	if err != nil {
		return err
	}
	return web.Fragment(c, "console.html", v)
}

// read reads the whole console. It takes the cursor first, so events during the read are delivered
// again by the stream.
func (p *page) read(c *web.Call) (v consolePage, err error) {
	ctx, subject := c.Ctx(), c.Pass.Subject
	v.Asks = consoleAsks
	if v.Session, v.Client, err = p.Bus.Following(ctx, subject); err != nil {
		return v, err
	}
	v.Client = screen.Line(cmp.Or(v.Client, "your AI client"), screen.MostName)
	if err = p.Bus.SettleTasks(ctx); err != nil {
		return v, err
	}
	state, err := p.Bus.Snapshot(ctx, v.Session)
	if err != nil {
		return v, err
	}
	v.Cursor = state.Cursor.String()
	if v.Frozen, err = c.Frozen(); err != nil {
		return v, err
	}
	head, err := c.Head()
	if err != nil {
		return v, err
	}
	v.OpenedTwice = head.OpenedTwice
	ends, err := p.tasks(ctx, state.Tasks, &v)
	if err != nil {
		return v, err
	}
	waiting, err := p.reviews(ctx, &v)
	if err != nil {
		return v, err
	}
	v.Next = nextChange(append(ends, waiting...), p.Lists.Now())
	v.Past, err = p.past(ctx, v.Session)
	var e error
	if v.Changes, e = p.Editor.Changes(ctx, subject); err == nil {
		err = e
	}
	v.headline()
	return v, err
}

// tasks lists the client's tasks. ends are the times at which they expire.
func (p *page) tasks(ctx context.Context, list []bus.Task, v *consolePage) (ends []time.Time, err error) {
	for _, t := range list {
		switch {
		case t.Question != nil:
			v.Questions = append(v.Questions, questionOf(t))
			ends = append(ends, t.DeadlineAt)
		case t.Kind == bus.KindEdit && t.Stage == bus.StageApproval: // shown as a card
		case t.Kind == bus.KindBundle:
			b, live, err := p.Bundle(ctx, t)
			if err != nil {
				return nil, err
			}
			if live {
				v.Bundles = append(v.Bundles, b)
			}
			ends = append(ends, t.DeadlineAt)
		case t.Kind != bus.KindReview:
			v.Tasks = append(v.Tasks, taskLineOf(t))
			ends = append(ends, t.DeadlineAt)
		}
	}
	return ends, nil
}

// headline counts what waits for the user.
func (v *consolePage) headline() {
	v.Count = len(v.Questions) + len(v.Reviews) + len(v.Bundles) + len(v.Changes)
	v.Title, v.Text = "Nothing waits for you", "What your AI client asks for appears here by itself. You can leave this "+
		"page open."
	if v.Count > 0 {
		v.Title, v.Text = strconv.Itoa(v.Count)+" things wait for you", "What you do not answer ends by its time."
	}
	if len(v.Reviews) > 0 {
		v.Text = "A review opens on a page of its own. Nothing is signed by opening it."
	}
	if v.Count == 1 {
		v.Title = "One thing waits for you"
	}
}

// reviews lists the client's pending reviews. ends are the times at which their state changes.
func (p *page) reviews(ctx context.Context, v *consolePage) (ends []time.Time, err error) {
	list, err := p.Lists.Waiting(ctx, p.Lists.Now(), listing.MaxWaiting)
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		own, err := p.owns(ctx, v.Session, w.ID)
		if err != nil {
			return nil, err
		}
		if !own {
			continue
		}
		state := p.Lists.StateOf(w)
		v.Reviews = append(v.Reviews, listing.Line{ID: string(w.ID), Tone: state.Tone, State: state.Words,
			At:    words.At(w.CreatedAt),
			Class: state.Button, Asked: words.UpperFirst(listing.Asked(w.Intent))})
		ends = append(ends, w.BuildExpiresAt, w.ExpiresAt)
	}
	return ends, nil
}

// owns reports whether a review belongs to the client whose newest conversation is newest.
func (p *page) owns(ctx context.Context, newest string, id record.ID) (bool, error) {
	t, ok, err := p.Bus.TaskOf(ctx, record.Subject(id))
	if err != nil || !ok {
		return false, err
	}
	return bus.SameClient(ctx, p.Bus, newest, t.Session)
}

// nextChange returns the earliest of the times after now, in RFC 3339, or "".
func nextChange(list []time.Time, now time.Time) string {
	list = slices.DeleteFunc(list, func(t time.Time) bool { return !t.After(now) })
	if len(list) == 0 {
		return ""
	}
	return slices.MinFunc(list, time.Time.Compare).UTC().Format(time.RFC3339Nano)
}

func questionOf(t bus.Task) questionLine {
	q := questionLine{ID: t.ID, Text: screen.Text(t.Question.Text, bus.MostQuestion*8).Text, Until: words.At(t.DeadlineAt)}
	for _, choice := range t.Question.Choices {
		q.Choices = append(q.Choices, choiceLine{choice, screen.Line(choice, 0)})
	}
	return q
}

func taskLineOf(t bus.Task) taskLine {
	line := taskLine{ID: t.ID, Tool: toolWords(t.Tool), Stage: stageText(t.Stage), Message: screen.Line(t.Message,
		screen.MostDescription),
		Cancelling: t.CancelRequested}
	if t.Progress != nil {
		line.Percent = strconv.Itoa(int(*t.Progress * 100))
	}
	return line
}

// openReview responds with a new link to a pending review of the same client.
func (p *page) openReview(c *web.Call) error {
	newest, _, err := p.Bus.Following(c.Ctx(), c.Pass.Subject)
	if err != nil {
		return err
	}
	return p.Lists.OpenReview(c, func(r record.Session) error {
		own, err := p.owns(c.Ctx(), newest, r.ID)
		switch {
		case err != nil:
			return err
		//mutant:never ./review/web TestConsoleScope
		case !own:
			return fault.New(fault.SessionNotFound, "Another AI client prepared this review. Open it from the reviews page.")
		case r.Status.Terminal():
			return fault.New(fault.InvalidSessionTransition, "This review is over.")
		}
		return nil
	})
}

type cancelIn struct {
	Task string `json:"id"`
}

// cancel requests cancellation of a task of the same client. A review can be ended only on its own
// page.
func (p *page) cancel(c *web.Call, in cancelIn) error {
	newest, _, err := p.Bus.Following(c.Ctx(), c.Pass.Subject)
	if err != nil {
		return err
	}
	t, err := p.Bus.Task(c.Ctx(), in.Task)
	if err != nil {
		return err
	}
	own, err := bus.SameClient(c.Ctx(), p.Bus, newest, t.Session)
	if err != nil {
		return err
	}
	//mutant:never `!own` ./review/web TestConsoleScope
	if !own || t.Kind == bus.KindReview {
		return fault.New(fault.SessionNotFound, "There is no such task here.")
	}
	if _, err = p.Bus.CancelTask(c.Ctx(), t.ID); err == nil {
		err = web.JSON(c, http.StatusOK, struct{}{})
	}
	return err
}
