package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// Tasks stores tasks, and ends those that are due.
type Tasks struct{ *engine }

var _ bus.Tasks = Tasks{}

const taskColumns = `id, session, kind, tool, subject, state, stage, waiting_for, progress, message, request_id,
	request_json, result_json, error, cancel_requested, created_at, updated_at, deadline_at, lease_until, inputs_json,
	question_json`

const selectTasks = `SELECT ` + taskColumns + ` FROM tasks`

func (Tasks) readAll(ctx context.Context, s *survey) error {
	return checkRows(ctx, s, scanTask, selectTasks)
}

// conversation returns the conversation of the client whose call ctx belongs to, or the store's own
// conversation if there is none.
func (db *engine) conversation(ctx context.Context) string {
	return cmp.Or(bus.ConversationOf(ctx), db.session)
}

// CreateTask implements bus.Tasks.
func (db Tasks) CreateTask(ctx context.Context, t bus.Task) (bus.Task, error) {
	err := db.change(ctx, func(x *tx) error {
		running, err := single[int](ctx, x,
			`SELECT count(*) FROM tasks WHERE session = ? AND kind NOT IN (?, ?) AND state IN ('working', 'input_required')`,
			t.Session, string(bus.KindReview), string(bus.KindBundle))
		if err != nil {
			return err
		}
		//mutant:never ./store TestTasks/too_many
		if running >= bus.MostTasks {
			return fault.New(fault.RateLimited, "%d tasks are already running. Wait for one, or cancel one.", bus.MostTasks)
		}
		if err := roomToAsk(ctx, x, t); err != nil {
			return err
		}
		if t, err = createTask(ctx, x, t); err != nil {
			return err
		}
		x.needs(t)
		appended, err := t.Opening()
		for _, e := range appended {
			if _, err := x.append(ctx, e); err != nil {
				return err
			}
		}
		return err
	})
	return t, err
}

// needs wakes the list of pending requests if it shows the task.
func (x *tx) needs(t bus.Task) {
	if t.Kind == bus.KindQuestion || t.Kind == bus.KindEdit {
		x.changed = append(x.changed, events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	}
}

// roomToAsk returns fault.RateLimited if t asks the user and the session has too many open questions.
func roomToAsk(ctx context.Context, x *tx, t bus.Task) error {
	if t.Question == nil {
		return nil
	}
	open, err := single[int](ctx, x, `SELECT count(*) FROM tasks
		WHERE session = ? AND question_json IS NOT NULL AND state = 'working' AND deadline_at > ?`, t.Session,
		nanoseconds(x.now))
	if err != nil {
		return err
	}
	//mutant:never ./store TestQuestions
	if open >= bus.MostQuestions {
		return fault.New(fault.RateLimited, "%d questions to the user are already open. Wait for an answer, or cancel one.",
			bus.MostQuestions)
	}
	return nil
}

// createTask stores a new task in the transaction. It gives the task an ID if it has none.
func createTask(ctx context.Context, x *tx, t bus.Task) (bus.Task, error) {
	if t.ID == "" {
		t.ID = bus.NewID("task_")
	}
	if t.State == "" {
		t.State = bus.Working
	}
	t.CreatedAt, t.UpdatedAt = x.now, x.now
	return t, x.one(ctx, `INSERT INTO tasks (`+taskColumns+`, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, taskValues(t)...)
}

func taskValues(t bus.Task) []any {
	progress := int64(-1)
	if t.Progress != nil {
		progress = int64(*t.Progress * 1000)
	}
	return []any{t.ID, t.Session, string(t.Kind), t.Tool, t.Subject, string(t.State), t.Stage, t.WaitingFor, progress,
		t.Message, t.RequestID, nullable(t.Request), nullable(t.Result), t.Error, t.CancelRequested,
		nanoseconds(t.CreatedAt), nanoseconds(t.UpdatedAt), nanoseconds(t.DeadlineAt), nanoseconds(t.LeaseUntil),
		inputsJSON(t.Inputs), questionJSON(t.Question), nanoseconds(t.Expires())}
}

func inputsJSON(inputs map[string]bus.Input) any {
	if len(inputs) == 0 {
		return nil
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		return "" // not valid JSON: the table rejects it
	}
	return string(text)
}

func questionJSON(q *bus.Question) any {
	if q == nil {
		return nil
	}
	text, err := json.Marshal(q)
	if err != nil {
		return "" // not valid JSON: the table rejects it
	}
	return string(text)
}

// Task implements bus.Tasks.
func (db Tasks) Task(ctx context.Context, id string) (bus.Task, error) { return task(ctx, db, id) }

func task(ctx context.Context, r rower, id string) (bus.Task, error) {
	found, err := find(ctx, r, scanTask, selectTasks+` WHERE id = ?`, id)
	if err == nil && len(found) == 0 {
		err = fault.New(fault.SessionNotFound, "No task has this ID. Ended ones are kept for a day.")
	}
	if err != nil {
		return bus.Task{}, err
	}
	return found[0], nil
}

// TaskOf implements bus.Tasks.
func (db Tasks) TaskOf(ctx context.Context, subject string) (bus.Task, bool, error) {
	return taskOf(ctx, db, subject)
}

func taskOf(ctx context.Context, r rower, subject string) (bus.Task, bool, error) {
	found, err := validRows(ctx, r, nil, scanTask, selectTasks+` WHERE subject = ? ORDER BY created_at DESC LIMIT 1`,
		subject)
	if err != nil || len(found) == 0 {
		return bus.Task{}, false, err
	}
	return found[0], true, nil
}

// ListTasks implements bus.Tasks.
func (db Tasks) ListTasks(ctx context.Context, session string, f bus.TaskFilter, limit int) ([]bus.Task, error) {
	return validRows(ctx, db, nil, scanTask, selectTasks+
		` WHERE session = ?1 AND (?2 = '' OR state = ?2) AND (?3 = '' OR kind = ?3)
		ORDER BY created_at DESC, id LIMIT ?4`, session, string(f.State), string(f.Kind), limit)
}

// StepTask implements bus.Tasks.
func (db Tasks) StepTask(ctx context.Context, id string, s bus.Step) (after bus.Task, took bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		before, err := task(ctx, x, id)
		if err != nil {
			return err
		}
		after, took, err = stepTask(ctx, x, before, s)
		if err == nil && !took {
			return errUnchanged
		}
		return err
	})
	return after, took, err
}

// stepTask advances a task and appends its events. It returns false if the task does not accept the
// step.
func stepTask(ctx context.Context, x *tx, before bus.Task, s bus.Step) (bus.Task, bool, error) {
	after, appended, took, err := before.Take(s, x.now)
	if err != nil || !took {
		return before, false, err
	}
	if after.State.Ended() {
		after.LeaseUntil = time.Time{}
	}
	x.needs(after)
	values := append(taskValues(after), before.ID, string(before.State))
	err = x.one(ctx, `UPDATE tasks SET (`+taskColumns+`, expires_at) =
		(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ? AND state = ?`, values...)
	if err != nil {
		return before, false, err
	}
	for _, e := range appended {
		if _, err := x.append(ctx, e); err != nil {
			return before, false, err
		}
	}
	return after, true, nil
}

// CancelTask implements bus.Tasks.
func (db Tasks) CancelTask(ctx context.Context, id string) (bus.Task, error) {
	var after bus.Task
	err := db.change(ctx, func(x *tx) error {
		before, err := task(ctx, x, id)
		if err != nil {
			return err
		}
		after = before
		if before.State.Ended() || before.CancelRequested {
			return errUnchanged
		}
		// No worker is responsible for a question, so cancellation ends it here.
		if before.Question != nil {
			after, _, err = stepTask(ctx, x, before, bus.Step{End: bus.Cancelled, Error: bus.ErrorCancelled})
			return err
		}
		if _, err := x.exec(ctx, `UPDATE tasks SET cancel_requested = 1 WHERE id = ?`, id); err != nil {
			return err
		}
		after.CancelRequested = true
		x.changed = append(x.changed, events.Subject{Kind: events.Task, ID: id})
		return nil
	})
	return after, err
}

// holdStep is the minimum by which a lease is extended.
const holdStep = 10 * time.Second

// HoldTask implements bus.Tasks.
func (db Tasks) HoldTask(ctx context.Context, id string, until time.Time) (cancelled bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		t, err := task(ctx, x, id)
		if err != nil {
			return err
		}
		cancelled = t.CancelRequested || t.State.Ended()
		// Skip the write if the last heartbeat was recent.
		if cancelled || until.Sub(t.LeaseUntil) < holdStep {
			return errUnchanged
		}
		_, err = x.exec(ctx, `UPDATE tasks SET lease_until = ? WHERE id = ?`, nanoseconds(until), id)
		return err
	})
	return cancelled, err
}

// When a computer wakes from sleep, all its processes wake at once. Running tasks appear to have
// missed their heartbeats for at least asleepFor, so their processes get wakeTime to send one.
const (
	asleepFor = 20 * time.Second
	wakeTime  = 10 * time.Second
)

// rest detects that the computer slept, from the time of the last check. Shortly after a sleep, no
// task counts as interrupted.
type rest struct {
	mu          sync.Mutex
	last, until time.Time
}

func (r *rest) woke(now time.Time) bool {
	now = now.Round(0) // the monotonic clock stops while a computer sleeps
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && now.Sub(r.last) > asleepFor {
		r.until = now.Add(wakeTime)
	}
	r.last = now
	return now.Before(r.until)
}

// SettleTasks implements bus.Tasks.
func (db Tasks) SettleTasks(ctx context.Context) error {
	woke := db.rest.woke(db.now())
	due, err := db.dueTasks(ctx, db, db.now(), woke)
	if err != nil || len(due) == 0 {
		return err
	}
	return db.change(ctx, func(x *tx) error {
		due, err := db.dueTasks(ctx, x, x.now, woke)
		if err != nil {
			return err
		}
		for _, t := range due {
			why := t.Due(x.now)
			end := bus.Completed
			if why == bus.ErrorInterrupted {
				end = bus.TaskFailed
			}
			if _, _, err := stepTask(ctx, x, t, bus.Step{End: end, Error: why}); err != nil {
				return err
			}
		}
		return nil
	})
}

// dueTasks lists the tasks that must end. Shortly after a sleep (woke), a missed heartbeat does not
// count. Tasks of reviews and bundles are not listed, because they end with the review or bundle.
func (db Tasks) dueTasks(ctx context.Context, r rower, now time.Time, woke bool) ([]bus.Task, error) {
	list, err := validRows(ctx, r, nil, scanTask, selectTasks+
		` WHERE state IN ('working', 'input_required') AND kind NOT IN (?1, ?3)
		AND (deadline_at <> 0 AND deadline_at <= ?2 OR lease_until <> 0 AND lease_until <= ?2)`,
		string(bus.KindReview), nanoseconds(now), string(bus.KindBundle))
	return slices.DeleteFunc(list, func(t bus.Task) bool {
		why := t.Due(now)
		//mutant:never ./store TestASleepInterruptsNoTask
		if woke && why == bus.ErrorInterrupted && now.Before(t.DeadlineAt) {
			return true
		}
		return why == ""
	}), err
}

func scanTask(r *sql.Rows, t *bus.Task) error {
	var progress, cancel, created, updated, deadline, lease int64
	var request, result, inputs, question sql.NullString
	c := scanColumns(r, "tasks", &t.ID, &t.ID, &t.Session, &t.Kind, &t.Tool, &t.Subject, &t.State, &t.Stage, &t.WaitingFor,
		&progress, &t.Message, &t.RequestID, &request, &result, &t.Error, &cancel, &created, &updated, &deadline, &lease,
		&inputs, &question)
	for what, s := range map[string]string{"session": t.Session, "kind": string(t.Kind), "tool": t.Tool, "stage": t.Stage,
		"waiting_for": t.WaitingFor, "request_id": t.RequestID} {
		c.text(what, s, maxWord)
	}
	for what, s := range map[string]string{"subject": t.Subject, "message": t.Message, "error": t.Error} {
		c.text(what, s, maxDocument)
	}
	c.must(slices.Contains(t.State.Values(), string(t.State)), "its state is unknown")
	c.must(progress >= -1 && progress <= 1000, "its progress is out of range")
	if progress >= 0 {
		p := float64(progress) / 1000
		t.Progress = &p
	}
	t.Request, t.Result = c.raw("request_json", request), c.raw("result_json", result)
	if text := c.raw("inputs_json", inputs); text != nil && json.Unmarshal(text, &t.Inputs) != nil {
		c.must(false, "its questions cannot be read back")
	}
	if text := c.raw("question_json", question); text != nil && json.Unmarshal(text, &t.Question) != nil {
		c.must(false, "its question cannot be read back")
	}
	t.CancelRequested = c.flag("cancel_requested", cancel)
	t.CreatedAt, t.UpdatedAt = c.time("created_at", created), c.time("updated_at", updated)
	t.DeadlineAt, t.LeaseUntil = c.time("deadline_at", deadline), c.time("lease_until", lease)
	return c.err
}

// raw decodes a column written by nullable.
func (c *columns) raw(what string, text sql.NullString) json.RawMessage {
	if !text.Valid {
		return nil
	}
	c.must(len(text.String) <= maxDocument && json.Valid([]byte(text.String)), "%s cannot be read back", what)
	return json.RawMessage(text.String)
}
