package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/web/draw"
)

// TestPictureOfAReview checks that the market of a swap is drawn for every tab that may read the
// review, once there are values, and that the page does not contain the drawing.
func TestPictureOfAReview(t *testing.T) {
	o := openReview(t)
	path := o.path + "/picture"
	if a := o.do("GET", path, o.token, nil); a.status != http.StatusNoContent || a.body != "" {
		t.Errorf("before there are figures: %d %s", a.status, a.body)
	}
	if view := o.do("GET", o.path+"/view", o.token, nil); strings.Contains(view.body, "data-later") {
		t.Error("the page has a place for a picture before there are figures")
	}
	o.compute()
	a := o.do("GET", path, o.token, nil)
	for _, words := range []string{"Offers in the DeepBook market SUI_USDC, as a node reported them", "your swap reaches ",
		"buyers want ",
		"Prices of the 24 hours to ", "as the DeepBook indexer reported them", "Reported, not guaranteed."} {
		if a.status != http.StatusOK || strings.Count(a.body, "<svg ") != 2 || !strings.Contains(a.body, words) {
			t.Fatalf("%d without %q:\n%s", a.status, words, a.body)
		}
	}
	o.hardened(a)
	if again := o.do("GET", path, o.rig.token(pagetoken.Review, string(o.id)), nil); again.status != http.StatusOK ||
		again.body != a.body {
		t.Errorf("a tab that looks on: %d", again.status)
	}
	view := o.do("GET", o.path+"/view", o.token, nil).body
	if !strings.Contains(view, `<div data-later="`+path+`"></div>`) || strings.Contains(view,
		"Reported, not guaranteed.") {
		t.Error("the page does not leave an empty place for the picture")
	}
}

// pictures is a source of market data for a test.
type pictures struct {
	book func(context.Context) (draw.Book, error)
	n    atomic.Int64
}

func (p *pictures) Book(ctx context.Context, _ string, _ sui.ObjectID) (draw.Book, error) {
	p.n.Add(1)
	return p.book(ctx)
}

func (p *pictures) Past(context.Context, string, sui.ObjectID) (draw.PastPrices, error) {
	p.n.Add(1)
	return draw.PastPrices{}, errors.New("there is no past")
}

// TestPictureOfNothing checks that the response is empty if there is no source, if the source
// fails, panics or never responds, and if the review has no market.
func TestPictureOfNothing(t *testing.T) {
	long.Skip(t, "it waits for sources that never answer")
	over := make(chan struct{})
	defer close(over)
	for name, p := range map[string]*pictures{
		"nobody to ask": nil,
		"fails":         {book: func(context.Context) (draw.Book, error) { return draw.Book{}, errors.New("no node") }},
		"empty":         {book: func(context.Context) (draw.Book, error) { return draw.Book{}, nil }},
		"breaks down":   {book: func(context.Context) (draw.Book, error) { panic("nobody thought of this") }},
		"never answers": {book: func(ctx context.Context) (draw.Book, error) { <-ctx.Done(); return draw.Book{}, ctx.Err() }},
		"is deaf":       {book: func(context.Context) (draw.Book, error) { <-over; return draw.Book{}, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(c *config) {
				if p != nil {
					c.Pictures = p
				}
			})
			for _, status := range []record.Status{record.Ready, record.Blocked} {
				s, materials := sample(t, status)
				id := r.put(s, materials)
				if a := r.do("GET", "/api/review/"+id+"/picture", r.token(pagetoken.Review, id),
					nil); a.status != http.StatusNoContent || a.body != "" {
					t.Errorf("%s: %d %s", status, a.status, a.body)
				}
			}
			if p != nil && p.n.Load() != 2 {
				t.Errorf("the source was asked %d times, not for one book and one past", p.n.Load())
			}
		})
	}
}

// TestPictureIsAskedOnce checks that many tabs cause one query of the node, even if the tab that
// asked first is closed.
func TestPictureIsAskedOnce(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	p := &pictures{book: func(ctx context.Context) (draw.Book, error) {
		close(asked) // a second call panics
		<-answer
		return draw.Book{Source: "a market", Base: suiCoin, Quote: usdcCoin, Middle: "1.3", At: time.Now(),
			Bids: []draw.Offer{{Price: "1.2", Amount: "50"}}, Asks: []draw.Offer{{Price: "1.4", Amount: "50"}}}, ctx.Err()
	}}
	r := newRig(t, func(c *config) { c.Pictures = p })
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	token := r.token(pagetoken.Review, id)
	look := func(ctx context.Context) (status int) {
		req, err := http.NewRequestWithContext(ctx, "GET", r.origin+"/api/review/"+id+"/picture", nil)
		if err != nil {
			t.Error(err)
			return 0
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			status = resp.StatusCode
		}
		return status
	}
	ctx, leave := context.WithCancel(t.Context())
	var tabs sync.WaitGroup
	tabs.Go(func() { look(ctx) })
	<-asked
	leave()
	for range 8 {
		tabs.Go(func() {
			if got := look(t.Context()); got != http.StatusOK {
				t.Errorf("a tab that stays gets %d", got)
			}
		})
	}
	// The server notices the closed tab a little later.
	time.AfterFunc(100*time.Millisecond, func() { close(answer) })
	tabs.Wait()
	if got := p.n.Load(); got != 2 {
		t.Errorf("the source was asked %d times, not for one book and one past", got)
	}
}
