package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestEvents follows the log of a conversation with the token of one of its reviews.
func TestEvents(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	token := r.token(pagetoken.Review, id)
	notice := func(session, text string) {
		t.Helper()
		e, err := bus.NewEvent(session, "note/x", bus.SystemNotice{Message: text})
		if err == nil {
			_, err = r.db.Append(t.Context(), e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stream := r.listenAt("/api/events", token, "")
	first := stream.until("snapshot")
	if !strings.Contains(first.data, `"session_id":"`+r.db.Bus(t.Context())+`"`) || !strings.Contains(first.data,
		`"task_id":"task_`) || first.id == "" {
		t.Errorf("the snapshot is %+v", first)
	}
	var last event
	t.Run("R003-159 R003-86 what comes is pushed, of this conversation alone, one line each", func(t *testing.T) {
		notice("another", "theirs")
		notice(r.db.Bus(t.Context()), "mine\r\n\r\nevent: forged")
		last = stream.until("system_event")
		if !strings.Contains(last.data, `"event":{"type":"SystemNotice","message":"mine\r\n\r\nevent: forged"}}`) {
			t.Errorf("got %+v", last)
		}
	})
	t.Run("R003-88 a stream goes on after Last-Event-ID and repeats nothing", func(t *testing.T) {
		stream.close()
		notice(r.db.Bus(t.Context()), "later")
		again := r.listenAt("/api/events", token, last.id)
		defer again.close()
		if e := again.until("system_event"); !strings.Contains(e.data, `"message":"later"`) {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("a cursor of another store is told", func(t *testing.T) {
		again := r.listenAt("/api/events", token, strings.Repeat("0", 32)+".1")
		defer again.close()
		if e := again.until("truncated"); e.id == "" {
			t.Errorf("got %+v", e)
		}
		if e := again.until("system_event"); !strings.Contains(e.data, `"type":"ToolProgress"`) {
			t.Errorf("then not the first event: %+v", e)
		}
	})
	t.Run("what is no cursor is refused", func(t *testing.T) {
		if again := r.listenAt("/api/events", token, "7"); again.status != http.StatusBadRequest {
			t.Errorf("answered %d", again.status)
		}
	})
	t.Run("the heartbeat", func(t *testing.T) {
		r.server.Heartbeat = 20 * time.Millisecond
		again := r.listenAt("/api/events", token, last.id)
		defer again.close()
		again.until("system_event")
		if e, ok := again.next(); !ok || e.name != "" {
			t.Errorf("instead of a heartbeat came %+v, %v", e, ok)
		}
	})
}
