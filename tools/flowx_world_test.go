package tools_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
)

// routerDouble is the quoter of a world; situations can replace it.
type routerDouble struct{ *quoter.Client }

// quoterAt returns a client of the quoter at url, or of the sandbox's if url is empty.
func (w *world) quoterAt(url string) *quoter.Client {
	w.t.Helper()
	c, err := quoter.New(quoter.Config{URL: url, Now: w.Clock.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}

// otherQuoter replaces the sandbox's quoter with one that edits its answers.
func (w *world) otherQuoter(status int, edit func([]byte) []byte) {
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		w.Sandbox.Handler().ServeHTTP(recorded, r)
		body := recorded.Body.Bytes()
		if edit != nil {
			body = edit(body)
		}
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(status)
		_, _ = to.Write(body)
	}))
	w.t.Cleanup(server.Close)
	w.router.Client = w.quoterAt(server.URL)
}

// retold returns an edit that sets every text member with the given name to value.
func retold(name, value string) func([]byte) []byte {
	member := regexp.MustCompile(`"` + name + `":"[^"]*"`)
	return func(body []byte) []byte { return member.ReplaceAll(body, []byte(`"`+name+`":"`+value+`"`)) }
}

// priced returns an edit that replaces an amount.
func priced(from, to string) func([]byte) []byte {
	return func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(from), []byte(to)) }
}
