package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestIndexerHabits checks the quirks that are copied from mainnet's indexer.
func TestIndexerHabits(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 30, 0, time.UTC)
	s, err := New(Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil)
		s.Handler().ServeHTTP(w, r)
		return w
	}
	rows := func(query string) [][]json.Number {
		var answer struct{ Candles [][]json.Number }
		w := get("/ohclv/SUI_USDC?" + query)
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		return answer.Candles
	}
	for path, want := range map[string]int{
		"/ohclv/NOPE": 404, "/ohclv/SUI_USDC?interval=2h": 400, "/ohlcv/SUI_USDC": 415, "/get_pools": 200, "/status": 200,
	} {
		if got := get(path).Code; got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	t.Run("the newest stand first, cut at the limit", func(t *testing.T) {
		list := rows("interval=1m&limit=5")
		if len(list) != 5 || list[0][0].String() <= list[4][0].String() {
			t.Errorf("got %v", list)
		}
	})
	t.Run("seconds are taken for milliseconds", func(t *testing.T) {
		if list := rows(fmt.Sprintf("interval=1h&start_time=%d&end_time=%d", now.Unix()-36_000, now.Unix())); len(list) != 0 {
			t.Errorf("%d candles", len(list))
		}
	})
	t.Run("an end on the opening of an hour leaves its first minute alone", func(t *testing.T) {
		ten := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
		ask := func(end time.Time) string {
			list := rows(fmt.Sprintf("interval=1h&start_time=%d&end_time=%d", ten.UnixMilli(), end.UnixMilli()))
			if len(list) == 0 {
				return ""
			}
			return list[0][5].String()
		}
		if part, whole := ask(ten), ask(ten.Add(time.Hour-time.Second)); part == whole || whole == "" {
			t.Errorf("volumes %q and %q", part, whole)
		}
	})
	t.Run("another host name is not served", func(t *testing.T) {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://indexer.example/status", nil))
		if w.Code != http.StatusMisdirectedRequest {
			t.Errorf("%d", w.Code)
		}
	})
}
