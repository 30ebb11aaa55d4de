package calls_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/events"
)

func TestRecent(t *testing.T) {
	now := time.Unix(1000, 0)
	hub := &events.Hub{}
	r := calls.New(hub, func() time.Time { now = now.Add(time.Second); return now })
	w := hub.Watch(events.Subject{Kind: events.Calls, ID: "a"})
	defer w.Close()
	end := r.Begin("a", "read.x")
	if _, running := r.Of("a"); running != 1 {
		t.Errorf("%d run", running)
	}
	end("", "an answer with http://127.0.0.1:5/home#code and https://[::1]:5/x#another.")
	<-w.C
	list, running := r.Of("a")
	if running != 0 || len(list) != 1 || list[0].Took <= 0 || strings.Contains(list[0].Excerpt, "#") ||
		!strings.Contains(list[0].Excerpt, "http://127.0.0.1:5/home and") {
		t.Errorf("%+v", list)
	}
	for _, tool := range []string{"workspace.read_file", "agent.get_address_book"} {
		if r.Begin("b", tool)("", "private"); true {
			if list, _ := r.Of("b"); list[len(list)-1].Excerpt != "" {
				t.Errorf("%s: %+v", tool, list)
			}
		}
	}
	r.Begin("b", "read.x")("", strings.Repeat("é", 5000)+"http://127.0.0.1:5/home#code")
	if list, _ := r.Of("b"); len(list[2].Excerpt) > 2048 || !utf8.ValidString(list[2].Excerpt) ||
		len(list[2].Excerpt) < 2000 {
		t.Errorf("%d bytes", len(list[2].Excerpt))
	}
	for i := range 500 {
		r.Begin("a", "read.x")("", fmt.Sprint(i))
		r.Begin(fmt.Sprint("c", i%31), "read.x")("", "")
	}
	if list, _ := r.Of("a"); len(list) != 100 || list[99].Excerpt != "499" {
		t.Errorf("%d calls are kept", len(list))
	}
	if list, _ := r.Of("b"); list != nil {
		t.Error("a conversation is kept for ever")
	}
	if list, running := (*calls.Recent)(nil).Of("a"); list != nil || running != 0 {
		t.Error("nothing keeps something")
	}
}
