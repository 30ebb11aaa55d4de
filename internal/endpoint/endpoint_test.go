package endpoint_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/endpoint"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"https://node.example":               "https://node.example",
		" HTTPS://Node.Example:443/ ":        "https://node.example",
		"https://node.example:9000":          "https://node.example:9000",
		"http://127.0.0.1:443":               "http://127.0.0.1:443",
		"http://[::1]:9000/":                 "http://[::1]:9000",
		"https://[0:0::1]":                   "https://[::1]",
		"https://[::ffff:93.184.215.14]:443": "https://93.184.215.14",
		"https://Graph.example/GraphQL/":     "https://graph.example/GraphQL",
		"https://node.example?X":             "https://node.example?X",
		"https://User@node.example":          "https://User@node.example",
		"8765":                               "8765",
		"":                                   "",
	} {
		if got := endpoint.Canonical(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		} else if again := endpoint.Canonical(got); again != got {
			t.Errorf("%q: %q the second time", got, again)
		}
	}
}
