package tools_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
)

// routerDouble is a world's quoter, which situations replace.
type routerDouble struct{ *quoter.Client }

// quoterAt returns a client of the quoter at url; the default is the sandbox's.
func (w *world) quoterAt(url string) *quoter.Client {
	w.t.Helper()
	c, err := quoter.New(quoter.Config{URL: url, Now: w.Clock.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}

// otherQuoter replaces the sandbox's quoter by one that changes its answers.
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

// retold replaces the value of every text member with a name.
func retold(name, value string) func([]byte) []byte {
	member := regexp.MustCompile(`"` + name + `":"[^"]*"`)
	return func(body []byte) []byte { return member.ReplaceAll(body, []byte(`"`+name+`":"`+value+`"`)) }
}

// priced replaces the only amount of an output.
func priced(from, to string) func([]byte) []byte {
	return func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(from), []byte(to)) }
}
