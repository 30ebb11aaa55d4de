package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/review/record"
)

// consoleRoutes are the page for the day of one AI client. It reads the bus by its
// doors. Every tab acts: opening a review, answering and stopping take nothing from
// another tab. No route of it hands out bytes or changes a setting but the stop.
func consoleRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/console/{id}", open, "", false, (*Server).consoleShell},
		{get, "/api/console/{id}/view", withToken, pagetoken.Console, false, (*Server).consoleView},
		{post, "/api/console/{id}/open", withToken, pagetoken.Console, true, (*Server).consoleOpen},
		{post, "/api/console/{id}/cancel", withToken, pagetoken.Console, true, (*Server).consoleCancel},
		{post, "/api/console/{id}/freeze", withToken, pagetoken.Console, true, (*Server).consoleFreeze},
	}
}

// mostPast is how many things that happened the console lists.
const mostPast = 25

// consolePage is the console in words. Cursor continues the stream without a gap, and
// Next is when something on the page changes by time alone, "" for never.
type consolePage struct {
	Title, Text, Client, Session, Cursor, Next string
	Count                                      int
	OpenedTwice, Frozen, Freezes               bool
	Changes                                    []changeCard
	Questions                                  []questionLine
	Reviews                                    []homeLine
	Tasks                                      []taskLine
	Past                                       []pastLine
	Asks                                       []consoleAsk
}

// questionLine is an open question. Its words are the client's.
type questionLine struct {
	ID, Text, Until string
	Choices         []choiceLine
}

// choiceLine is one answer: as it is sent, and as it is shown.
type choiceLine struct{ Value, Text string }

// taskLine is a task that runs.
type taskLine struct {
	ID, Tool, Stage, Message, Percent string
	Cancelling                        bool
}

func (s *Server) consoleShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("console", "Console"))
}

func (s *Server) consoleView(c *call) error {
	v, err := s.consolePage(c.ctx(), c.pass.Subject)
	if err != nil {
		return err
	}
	return s.fragment(c, "console.html", v)
}

// consolePage reads everything anew. The cursor is taken first: what happens while the
// rest is read comes once more by the stream.
func (s *Server) consolePage(ctx context.Context, subject string) (v consolePage, err error) {
	v.Asks, v.Freezes = consoleAsks, s.Settings != nil
	if v.Session, v.Client, err = s.Bus.Following(ctx, subject); err != nil {
		return v, err
	}
	v.Client = screen.Line(cmp.Or(v.Client, "your AI client"), screen.MostName)
	if err = s.Bus.SettleTasks(ctx); err != nil {
		return v, err
	}
	state, err := s.Bus.Snapshot(ctx, v.Session)
	if err != nil {
		return v, err
	}
	v.Cursor = state.Cursor.String()
	if v.Frozen, err = s.frozen(ctx); err != nil {
		return v, err
	}
	if v.OpenedTwice, err = s.Desk.OpenedTwice(ctx, pagetoken.Console, subject); err != nil {
		return v, err
	}
	var ends []time.Time
	for _, t := range state.Tasks {
		switch {
		case t.Question != nil:
			v.Questions = append(v.Questions, questionOf(t))
			ends = append(ends, t.DeadlineAt)
		case t.Kind == bus.KindEdit && t.Stage == bus.StageApproval: // its card stands above
		case t.Kind != bus.KindReview:
			v.Tasks = append(v.Tasks, taskLineOf(t))
			ends = append(ends, t.DeadlineAt)
		}
	}
	waiting, err := s.consoleReviews(ctx, &v)
	if err != nil {
		return v, err
	}
	v.Next = nextChange(append(ends, waiting...), s.Now())
	v.Past, err = s.consolePast(ctx, v.Session)
	changes, e := s.consoleChanges(ctx, subject)
	if err == nil {
		err = e
	}
	for _, w := range changes {
		v.Changes = append(v.Changes, changeCardOf(w))
	}
	v.Count = len(v.Questions) + len(v.Reviews) + len(v.Changes)
	v.Title, v.Text = "Nothing waits for you", "What your AI client asks for appears here by itself. You can leave this page open."
	if v.Count > 0 {
		v.Title, v.Text = strconv.Itoa(v.Count)+" things wait for you", "What you do not answer ends by its time."
	}
	if len(v.Reviews) > 0 {
		v.Text = "A review opens on a page of its own. Nothing is signed by opening it."
	}
	if v.Count == 1 {
		v.Title = "One thing waits for you"
	}
	return v, err
}

// consoleReviews lists the reviews of the client that wait, and when time changes them.
func (s *Server) consoleReviews(ctx context.Context, v *consolePage) (ends []time.Time, err error) {
	list, err := s.Waiting(ctx, s.Now(), maxWaiting)
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		own, err := s.ofConsole(ctx, v.Session, w.ID)
		if err != nil {
			return nil, err
		}
		if !own {
			continue
		}
		state := s.stateOf(w)
		v.Reviews = append(v.Reviews, homeLine{ID: string(w.ID), Tone: state.tone, State: state.words, At: at(w.CreatedAt),
			Class: state.button, Asked: upperFirst(asked(w.Intent))})
		ends = append(ends, w.BuildExpiresAt, w.ExpiresAt)
	}
	return ends, nil
}

// ofConsole reports whether a review is of the client whose newest conversation that is.
func (s *Server) ofConsole(ctx context.Context, newest string, id record.ID) (bool, error) {
	t, ok, err := s.Bus.TaskOf(ctx, record.Subject(id))
	if err != nil || !ok {
		return false, err
	}
	return s.sameClient(ctx, newest, t.Session)
}

func (s *Server) sameClient(ctx context.Context, newest, session string) (bool, error) {
	if session == newest {
		return true, nil
	}
	following, _, err := s.Bus.Following(ctx, session)
	return following == newest, err
}

// nextChange is the earliest of the times that is still to come, in RFC 3339.
func nextChange(list []time.Time, now time.Time) string {
	list = slices.DeleteFunc(list, func(t time.Time) bool { return !t.After(now) })
	if len(list) == 0 {
		return ""
	}
	return slices.MinFunc(list, time.Time.Compare).UTC().Format(time.RFC3339Nano)
}

func questionOf(t bus.Task) questionLine {
	q := questionLine{ID: t.ID, Text: screen.Text(t.Question.Text, bus.MostQuestion*8).Text, Until: at(t.DeadlineAt)}
	for _, choice := range t.Question.Choices {
		q.Choices = append(q.Choices, choiceLine{choice, screen.Line(choice, 0)})
	}
	return q
}

func taskLineOf(t bus.Task) taskLine {
	line := taskLine{ID: t.ID, Tool: toolWords(t.Tool), Stage: stageText(t.Stage), Message: screen.Line(t.Message, screen.MostDescription),
		Cancelling: t.CancelRequested}
	if t.Progress != nil {
		line.Percent = strconv.Itoa(int(*t.Progress * 100))
	}
	return line
}

// consoleOpen returns a fresh link to a review of the same client that is not over.
func (s *Server) consoleOpen(c *call) error {
	newest, _, err := s.Bus.Following(c.ctx(), c.pass.Subject)
	if err != nil {
		return err
	}
	return s.openReview(c, func(r record.Session) error {
		own, err := s.ofConsole(c.ctx(), newest, r.ID)
		switch {
		case err != nil:
			return err
		//mutant:never ./review/web TestConsoleScope
		case !own:
			return fault.New(fault.SessionNotFound, "This review is of another AI client. The page of what waits opens it.")
		case r.Status.Terminal():
			return fault.New(fault.InvalidSessionTransition, "This review is over.")
		}
		return nil
	})
}

type cancelIn struct {
	Task string `json:"id"`
}

// consoleCancel asks a task of the same client to stop. A review is ended on its page.
func (s *Server) consoleCancel(c *call) error {
	in, err := body[cancelIn](c)
	if err != nil {
		return err
	}
	newest, _, err := s.Bus.Following(c.ctx(), c.pass.Subject)
	if err != nil {
		return err
	}
	t, err := s.Bus.Task(c.ctx(), in.Task)
	if err != nil {
		return err
	}
	own, err := s.sameClient(c.ctx(), newest, t.Session)
	if err != nil {
		return err
	}
	//mutant:never `!own` ./review/web TestConsoleScope
	if !own || t.Kind == bus.KindReview {
		return fault.New(fault.SessionNotFound, "There is no such task here.")
	}
	if _, err = s.Bus.CancelTask(c.ctx(), t.ID); err == nil {
		writeJSON(c.w, http.StatusOK, struct{}{})
	}
	return err
}

// consoleFreeze stops all releases. Only the settings page lifts that.
func (s *Server) consoleFreeze(c *call) error {
	if s.Settings == nil {
		return fault.New(fault.Blocked, "This program has no settings, so nothing can be stopped here.")
	}
	return s.freeze(c)
}
