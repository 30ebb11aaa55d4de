package store_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// bothWays returns a request and its response for every pair of sides, in log order.
func bothWays(t *testing.T) (list []bus.Event) {
	id := "q"
	for _, b := range []bus.Body{bus.WalletTxRequest{Payload: json.RawMessage(`{"request_id":"w"}`)},
		bus.UserRequest{RequestID: &id, Kind: "k", Payload: json.RawMessage("1")},
		bus.WalletTxResponse{Status: bus.Rejected, RequestID: "w"}, bus.ToolProgress{TaskID: "t", ToolName: "n", Stage: "s"},
		bus.UserResponse{RequestID: &id, Kind: "k", Payload: json.RawMessage("2")}, bus.ToolResult{TaskID: "t", ToolName: "n",
			Result: json.RawMessage("3")}} {
		list = append(list, must[bus.Event](t)(bus.NewEvent("s", "", b)))
	}
	return list
}

// types returns the types of a page's events.
func types(p bus.Page) (list []bus.Type) {
	for _, e := range p.Events {
		list = append(list, e.Type)
	}
	return list
}

// TestOneQueue appends requests and responses of both sides to one log.
func TestOneQueue(t *testing.T) {
	dir, c := filepath.Join(double.Dir(t), "data"), newClock()
	db := open(t, dir, &events.Hub{}, c.Now)
	all := bothWays(t)
	from := bus.Cursor{Log: must[string](t)(db.ID(t.Context()))}
	since := func(db *store.DB, sees bus.Audience) bus.Page {
		return must[bus.Page](t)(db.Since(t.Context(), from, bus.Filter{Session: "s", Sees: sees}, 100))
	}
	t.Run("R003-1 R003-2 R003-3 requests and responses of all sides have one order", func(t *testing.T) {
		var last bus.Seq
		for _, e := range all {
			a := must[[]bus.Appended](t)(db.Append(t.Context(), e))[0]
			if a.Seq != last+1 && last != 0 {
				t.Errorf("%s is at %d after %d", e.Type, a.Seq, last)
			}
			last = a.Seq
		}
		got := types(since(db, bus.UI|bus.Agent|bus.System))
		if want := types(bus.Page{Events: all}); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("R003-2 R003-75 R003-164 each side reads its own of it", func(t *testing.T) {
		for sees, want := range map[bus.Audience][]bus.Type{
			bus.UI: {bus.TypeWalletTxRequest, bus.TypeWalletTxResponse, bus.TypeToolProgress, bus.TypeUserResponse,
				bus.TypeToolResult},
			bus.Agent:  {bus.TypeWalletTxResponse, bus.TypeToolResult},
			bus.System: {bus.TypeUserRequest},
		} {
			if got := types(since(db, sees)); !slices.Equal(got, want) {
				t.Errorf("%b: %v, want %v", sees, got, want)
			}
		}
	})
	reader := bus.Consumer{Name: "page/1", Filter: bus.Filter{Session: "s", Sees: bus.UI}}
	t.Run("R003-99 R003-100 R003-103 R003-104 a reader is handed each event once, in their order", func(t *testing.T) {
		var seen []bus.Type
		for range 3 {
			p := must[bus.Page](t)(db.Read(t.Context(), reader, 2))
			seen = append(seen, types(p)...)
			if err := db.Advance(t.Context(), reader, p.Next.Seq); err != nil {
				t.Fatal(err)
			}
		}
		if want := types(since(db, bus.UI)); !slices.Equal(seen, want) {
			t.Errorf("%v, want %v", seen, want)
		}
		if p := must[bus.Page](t)(db.Read(t.Context(), reader, 9)); len(p.Events) != 0 {
			t.Errorf("again: %v", types(p))
		}
	})
	t.Run("R003-156 a process that starts again has the log and the readers' places", func(t *testing.T) {
		_ = db.Close()
		db = open(t, dir, &events.Hub{}, c.Now)
		if got, want := types(since(db, bus.UI|bus.Agent|bus.System)), types(bus.Page{Events: all}); !slices.Equal(got,
			want) {
			t.Errorf("%v, want %v", got, want)
		}
		e := must[bus.Event](t)(bus.NewEvent("s", "", bus.SystemNotice{Message: "later"}))
		must[[]bus.Appended](t)(db.Append(t.Context(), e))
		if p := must[bus.Page](t)(db.Read(t.Context(), reader, 9)); fmt.Sprint(types(p)) != "[SystemNotice]" {
			t.Errorf("%v", types(p))
		}
	})
}
