package web_test

import (
	"fmt"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestBrowserOvertakenView lets the response to the first request for a view arrive after that to
// the second. The page keeps the second one.
func TestBrowserOvertakenView(t *testing.T) {
	inBrowser(t)
	r, b := newRig(t, nil), newBrowser(t)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	b.open(r.link(pagetoken.Review, id))
	b.waitStage("ready")
	got := b.promise(fmt.Sprintf(`import('/assets/page.js').then(async ({ show }) => {
	  const { send } = XMLHttpRequest.prototype;
	  let release;
	  XMLHttpRequest.prototype.send = function (body) { release = () => send.call(this, body); };
	  const first = show('/api/review/%[1]s/view');
	  XMLHttpRequest.prototype.send = send;
	  const second = await show('/api/review/%[1]s/view');
	  release();
	  const late = await first;
	  return (late === second) + ' ' + (document.querySelector('main').firstElementChild === second);
	})`, id))
	if got != "true true" {
		t.Errorf("the newer view is what the older answer gave, and what stays: %s", got)
	}
}
