package settings_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
)

func TestParseEndpoint(t *testing.T) {
	for in, want := range map[string]string{
		"https://node.example":                                  "https://node.example",
		" HTTPS://Node.Example:443/ ":                           "https://node.example",
		"https://node.example:9000":                             "https://node.example:9000",
		"https://93.184.215.14":                                 "https://93.184.215.14",
		"https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:8443": "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:8443",
		"http://127.0.0.1:9000":                                 "http://127.0.0.1:9000",
		"http://[::1]:9000":                                     "http://[::1]:9000",
		"https://127.0.0.1:9000":                                "https://127.0.0.1:9000",
		"https://xn--bcher-kva.example":                         "https://xn--bcher-kva.example",
	} {
		if e, err := settings.ParseEndpoint(settings.GRPC, in); err != nil || e.URL != want {
			t.Errorf("%q: %q, %v; want %q", in, e.URL, err, want)
		}
	}
	if e, err := settings.ParseEndpoint(settings.GraphQL, "https://Graph.example/graphql/"); err != nil ||
		e.URL != "https://graph.example/graphql" {
		t.Errorf("%q, %v", e.URL, err)
	}
}

// TestRefusedEndpoints checks that forbidden addresses are rejected. They are listed by what they
// attempt.
func TestRefusedEndpoints(t *testing.T) {
	for what, list := range map[string][]string{
		"not an address": {"", "node", "node.example", "https://", "https:node.example", "//node.example",
			"https://node.example:", "mailto:a@b.example",
			"https://-", "https://a..example", "https://.example", strings.Repeat("https://node.example/", 20)},
		"scheme": {"ftp://node.example", "ws://node.example", "file:///etc/passwd", "javascript:alert(1)",
			"http://node.example", "http://93.184.215.14", "gopher://node.example"},
		"credentials": {"https://user@node.example", "https://user:pass@node.example", "https://:@node.example",
			"https://node.example@10.0.0.1"},
		"tail": {"https://node.example?x=1", "https://node.example?", "https://node.example#x",
			"https://node.example/#", "https://node.example/path"},
		"letters": {"https://nöde.example", "https://node.example\\@10.0.0.1", "https://node.exa mple",
			"https://node.ex\nample", "https://node.example/\tx", "https://node%2eexample", "https://ｎode.example",
			"https://node。example"},
		"loopback by name": {"https://localhost", "http://localhost:9000", "https://a.localhost", "https://localhost:9000",
			"https://localhost.:9000", "https://a.localhost."},
		"numbers in disguise": {"https://127.1", "https://0x7f000001", "https://0x7f.1", "https://2130706433",
			"https://0177.0.0.1", "https://127.0.0.1.", "https://1.2.3", "https://10.0", "https://0", "https://node.0x10"},
		"private": {"https://0.0.0.0", "https://0.1.2.3", "https://10.0.0.1", "https://10.255.255.255", "https://100.64.0.1",
			"https://100.127.255.255", "https://169.254.169.254",
			"https://172.16.0.1", "https://172.31.255.255", "https://192.0.0.1", "https://192.0.2.1", "https://192.88.99.1",
			"https://192.168.0.1", "https://198.18.0.1",
			"https://198.51.100.1", "https://203.0.113.1", "https://224.0.0.1", "https://239.255.255.255", "https://240.0.0.1",
			"https://255.255.255.255"},
		"private, version 6": {"https://[::]", "https://[::ffff:10.0.0.1]", "https://[::ffff:169.254.169.254]",
			"https://[::10.0.0.1]", "https://[fe80::1]", "https://[fe80::1%25eth0]",
			"https://[fc00::1]", "https://[fd00:ec2::254]", "https://[ff02::1]", "https://[64:ff9b::a00:1]",
			"https://[2002:a00:1::]", "https://[2001::1]", "https://[2001:db8::1]",
			"https://[100::1]", "https://[3fff::1]", "https://[fec0::1]"},
		"ports": {"https://node.example:0", "https://node.example:22", "https://node.example:25", "https://node.example:80",
			"https://node.example:65536", "https://node.example:-1",
			"https://node.example:0443", "https://node.example:4a3", "http://127.0.0.1:22", "https://127.0.0.1:6",
			"https://node.example:00443"},
	} {
		for _, in := range list {
			for w := range settings.Count {
				if w.Info().Path && in == "https://node.example/path" {
					continue // this service has a path
				}
				e, err := settings.ParseEndpoint(w, in)
				if !fault.Is(err, fault.InputInvalid) || !strings.HasSuffix(fault.As(err).Text, ".") {
					t.Errorf("%s: %q is %q, %v", what, in, e.URL, err)
				}
			}
		}
	}
}

// TestReach checks that a name's address is checked again when it is dialed.
func TestReach(t *testing.T) {
	named, err := settings.ParseEndpoint(settings.GRPC, "https://node.example")
	if err != nil {
		t.Fatal(err)
	}
	local, err := settings.ParseEndpoint(settings.GRPC, "http://127.0.0.1:9000")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of   settings.Endpoint
		to   string
		want bool
	}{
		{named, "93.184.215.14", true}, {named, "127.0.0.1", false}, {named, "::1", false}, {named, "10.0.0.1", false},
		{named, "169.254.169.254", false}, {named, "::ffff:127.0.0.1", false}, {named, "fe80::1", false},
		{local, "127.0.0.1", true}, {local, "::ffff:127.0.0.1", true}, {local, "127.0.0.2", false}, {local, "93.184.215.14",
			false},
	} {
		if err := c.of.Reach(netip.MustParseAddr(c.to)); (err == nil) != c.want {
			t.Errorf("%s to %s: %v", c.of.Host, c.to, err)
		}
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"https://node.example:443":                  "https://node.example:443",
		"https://u:p@node.example/v1/key?token=x#y": "https://node.example/…",
		"https://node.example/graphql":              "https://node.example/graphql",
		"https://node.example/?key=secret":          "https://node.example",
		"node.example:443":                          "node.example:443",
		"secret@node.example":                       "an address that cannot be shown",
		"https://%zz":                               "an address that cannot be shown",
		"":                                          "an address that cannot be shown",
	} {
		if got := settings.Shown(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// FuzzEndpoint checks that parsing an accepted address again does not change it, and that it never
// leads to a forbidden host.
func FuzzEndpoint(f *testing.F) {
	for _, seed := range []string{"https://node.example", "http://127.0.0.1:9000", "https://[2606:2800::1]:8443/graphql",
		"https://0x7f.1", "https://a@b.c?#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for w := range settings.Count {
			e, err := settings.ParseEndpoint(w, in)
			if err != nil {
				continue
			}
			again, err := settings.ParseEndpoint(w, e.URL)
			if err != nil || again != e {
				t.Errorf("%q is %+v, and then %+v, %v", in, e, again, err)
			}
			if e.IP.IsValid() && !e.Loopback() && !settings.Public(e.IP) || strings.ContainsAny(e.URL, "@?#\\ ") {
				t.Errorf("%q is %q", in, e.URL)
			}
		}
	})
}
