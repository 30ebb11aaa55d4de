package tools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
)

// indexerAt returns a client of the indexer at url, or of the sandbox's if url is empty.
func (w *world) indexerAt(url string) *indexer.Client {
	w.t.Helper()
	c, err := indexer.New(indexer.Config{URL: url, Now: w.Clock.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}

// otherIndexer replaces the sandbox's indexer by one with a fixed answer.
func (w *world) otherIndexer(status int, kind, body string) {
	w.replaceIndexer(func(http.ResponseWriter, *http.Request) bool { return false }, status, kind, body)
}

// silentIndexer lists pools without trades.
func (w *world) silentIndexer() {
	w.replaceIndexer(func(to http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/get_pools" || r.URL.Path == "/status" {
			w.Sandbox.Handler().ServeHTTP(to, r)
			return true
		}
		return false
	}, http.StatusOK, "application/json", `{"candles":[]}`)
}

func (w *world) replaceIndexer(first func(http.ResponseWriter, *http.Request) bool, status int, kind, body string) {
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		if first(to, r) {
			return
		}
		to.Header().Set("Content-Type", kind)
		to.WriteHeader(status)
		fmt.Fprint(to, body)
	}))
	w.t.Cleanup(server.Close)
	w.prices.Client = w.indexerAt(server.URL)
}

// past finds past times at which the examples' pool has data.
func (w *world) past() {
	now := w.Clock.Now().UTC()
	midnight := now.Truncate(24 * time.Hour)
	w.values["midnightBeforeToday"] = midnight.Add(-24 * time.Hour).Format(time.RFC3339)
	w.values["midnightOfAWeekAgo"] = midnight.AddDate(0, 0, -7).Format(time.RFC3339)
	w.values["theMinuteThatIsRunning"] = now.Format(time.RFC3339)
	data := w.must("read.get_deepbook_price_history",
		fmt.Sprintf(`{"poolKey":"SUI_USDC","interval":"1m","limit":400,"to":%q}`,
			now.Add(-30*time.Minute).Format(time.RFC3339)))
	candles, gaps := data["candles"].([]any), data["gaps"].([]any)
	w.values["aMinuteThatHadTrades"] = candles[0].(map[string]any)["openTime"].(string)
	w.values["aMinuteWithoutTrades"] = gaps[len(gaps)-1].(map[string]any)["from"].(string)
}

// pricesDouble is the indexer of a world; situations can replace it.
type pricesDouble struct{ *indexer.Client }

// answers replaces the sandbox's indexer by one with a fixed answer for each path.
func (w *world) answers(bodies map[string]string) {
	w.replaceIndexer(func(to http.ResponseWriter, r *http.Request) bool {
		body, ok := bodies[r.URL.Path]
		if ok {
			to.Header().Set("Content-Type", "application/json")
			fmt.Fprint(to, body)
		}
		return ok
	}, http.StatusNotFound, "text/plain", "Pool not found")
}
