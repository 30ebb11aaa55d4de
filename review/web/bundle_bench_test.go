package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// tell sends the names of the events of a page's stream until the benchmark ends.
func (n *bench) tell(token string) <-chan string {
	req, err := http.NewRequestWithContext(n.b.Context(), "GET", n.origin+"/api/stream", nil)
	if err != nil {
		n.b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := (&http.Transport{}).RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		n.b.Fatalf("%v %+v", err, resp)
	}
	told := make(chan string, 100)
	go func() {
		defer resp.Body.Close()
		defer close(told)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				told <- name
			}
		}
	}()
	return told
}

// BenchmarkNextStep measures the time of this program between the receipt of a step and the next
// prompt of the wallet, with a node on this machine that responds immediately: until the page of
// the bundle offers the next step, and until that step is computed and its bytes are released. The
// goal is less than 150 ms.
func BenchmarkNextStep(b *testing.B) {
	n := newBench(b)
	n.house.Connect(sandbox.Account)
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() { defer close(done); n.bundles.Run(ctx, func(err error) { b.Error(err) }) }()
	b.Cleanup(func() { stop(); <-done })
	var offered, prompted, most time.Duration
	for i := range b.N {
		made, err := n.bundles.Ask(ctx, "", false, stepsOf(payOf("1."+strings.Repeat("1", i%8+1), stepAlice),
			payOf("2."+strings.Repeat("1", i%8+1), stepBob)))
		if err != nil {
			b.Fatal(err)
		}
		api, token := "/api/bundle/"+string(made.ID), n.open(pagetoken.Bundle, string(made.ID))
		told := n.tell(token)
		offers := func(words string) {
			for !strings.Contains(string(n.ask("GET", api+"/view", token, nil)), words) {
				select {
				case <-told:
				case <-time.After(10 * time.Second):
					b.Fatal("the page never says: ", words)
				}
			}
		}
		shown := map[string]any{"revision": made.Revision, "accepted": []string{"again:a", "again:b"}}
		n.ask("POST", api+"/approve", token, shown)
		offers("Step 1 of 2 needs you")
		now, err := n.bundles.Get(ctx, made.ID)
		if err != nil {
			b.Fatal(err)
		}
		first := n.house.Settle(n.computed(now.Present().Review))
		offers("Step 2 of 2 needs you")
		begin := first.Execution.FinalAt
		offer := n.house.Clock.Now().Sub(begin)
		var led struct{ URL string }
		if err := json.Unmarshal(n.ask("POST", api+"/open", token, map[string]any{}), &led); err != nil {
			b.Fatal(err)
		}
		if now, err = n.bundles.Get(ctx, made.ID); err != nil {
			b.Fatal(err)
		}
		second := n.computed(now.Present().Review)
		o := n.house.HandOff(second)
		whole := n.house.Clock.Now().Sub(begin)
		offered, prompted, most = offered+offer, prompted+whole, max(most, whole)
		raw, signature := n.house.Sign(o)
		if _, err := n.house.Reviews.Signed(ctx, second.ID, o.Nonce, raw, signature); err != nil {
			b.Fatal(err)
		}
		offers("Both steps are done")
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(each(offered), "ms/offer")
	b.ReportMetric(each(prompted), "ms/prompt")
	b.ReportMetric(float64(most.Microseconds())/1000, "ms/slowest")
}

// computed opens and computes the review of a step, which must become ready.
func (n *bench) computed(id record.ID) record.Session {
	s, err := n.house.Reviews.Opened(context.Background(), id)
	if err != nil {
		n.b.Fatal(err)
	}
	if s = n.house.Compute(s); s.Status != record.Ready {
		n.b.Fatalf("the step is %s: %+v", s.Status, s.State.Checks)
	}
	return s
}
