package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/store"
)

// ownChain serves a separate sandbox and returns its address.
func ownChain(t *testing.T) string {
	t.Helper()
	chain, err := sandbox.New(sandbox.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = chain.Serve(ln) }()
	t.Cleanup(chain.Close)
	return "http://" + ln.Addr().String()
}

// TestAddressPrecedence starts the program four times on the same store. A flag takes precedence
// over the environment, the environment over a stored setting, and that over the default.
func TestAddressPrecedence(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(dir, "sandbox"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	stored, environment, flag := ownChain(t), ownChain(t), ownChain(t)
	err = db.ChangeSettings(t.Context(), func(s *settings.Stored) error {
		s.Addresses[settings.GRPC], s.Addresses[settings.GraphQL] = stored, "https://graph.example/graphql"
		return nil
	})
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	start := func(env map[string]string, args ...string) settings.View {
		t.Helper()
		env["SAY_UR_INTENT_DATA_DIR"] = dir
		p := process{Stderr: io.Discard, Now: time.Now, Getenv: func(name string) string { return env[name] }}
		s, err := parseOptions(p, append([]string{"--network", "sandbox"}, args...))
		if err != nil {
			t.Fatal(err)
		}
		a, err := newApp(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		defer a.close()
		v, err := a.settings.View(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.node.ChainIdentifier(context.Background()); err != nil {
			t.Errorf("%s is not asked: %v", v.Addresses[settings.GRPC].InForce.URL, err)
		}
		return v
	}
	for _, c := range []struct {
		name         string
		env          map[string]string
		args         []string
		url          string
		source, also settings.Source
	}{
		{"flag", map[string]string{"SUI_GRPC_URL": environment, "SUI_GRAPHQL_URL": "https://e.example/graphql"},
			[]string{"--grpc-url", flag, "--graphql-url", "https://f.example/graphql"}, flag, settings.FromFlag,
			settings.FromFlag},
		{"environment", map[string]string{"SUI_GRPC_URL": environment, "SUI_GRAPHQL_URL": "https://e.example/graphql"}, nil,
			environment, settings.FromEnvironment, settings.FromEnvironment},
		{"stored", map[string]string{}, nil, stored, settings.FromStored, settings.FromStored},
	} {
		t.Run("R004-459 R004-469 "+c.name, func(t *testing.T) {
			v := start(c.env, c.args...)
			if v.Addresses[settings.GRPC].InForce != (settings.InForce{URL: c.url, Source: c.source}) ||
				v.Addresses[settings.GraphQL].InForce.Source != c.also {
				t.Errorf("in force are %+v and %+v", v.Addresses[settings.GRPC].InForce, v.Addresses[settings.GraphQL].InForce)
			}
			if v.Addresses[settings.GRPC].Stored != stored || v.Addresses[settings.GRPC].AfterRestart {
				t.Errorf("%+v", v.Addresses[settings.GRPC])
			}
		})
	}
	t.Run("default", func(t *testing.T) {
		dir = t.TempDir()
		v := start(map[string]string{})
		if v.Addresses[settings.GRPC].InForce.Source != settings.FromDefault ||
			v.Addresses[settings.GraphQL].InForce.URL != v.Addresses[settings.GRPC].InForce.URL+"/graphql" {
			t.Errorf("in force are %+v and %+v", v.Addresses[settings.GRPC].InForce, v.Addresses[settings.GraphQL].InForce)
		}
		slugs := map[string]int{}
		for _, p := range v.Protocols {
			slugs[p.Slug]++
		}
		if len(slugs) < 3 || len(slugs) != len(v.Protocols) {
			t.Errorf("each protocol is to choose once: %+v", v.Protocols)
		}
	})
	t.Run("the default of mainnet", func(t *testing.T) {
		environment := map[string]string{"SAY_UR_INTENT_DATA_DIR": dir}
		s, err := parseOptions(process{Getenv: func(name string) string { return environment[name] }}, nil)
		if err != nil || !strings.HasPrefix(s.services[settings.GRPC].URL, "https://fullnode.mainnet.") ||
			!strings.HasPrefix(s.services[settings.GraphQL].URL, "https://graphql.mainnet.") {
			t.Errorf("%+v, %v", s.services, err)
		}
	})
}

// TestEveryAddressIsStored starts the program with each address stored, set in the environment, and
// missing.
func TestEveryAddressIsStored(t *testing.T) {
	at := func(w settings.Which, place string) string {
		return "https://" + w.Info().Code + "." + place + ".example"
	}
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(dir, "mainnet"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	err = db.ChangeSettings(t.Context(), func(s *settings.Stored) error {
		for w := range settings.Count {
			s.Addresses[w] = at(w, "stored")
		}
		return nil
	})
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	start := func(network, dir string, env map[string]string) options {
		t.Helper()
		env["SAY_UR_INTENT_DATA_DIR"] = dir
		p := environment(env)
		s, err := parseOptions(p, []string{"--network", network})
		if err != nil {
			t.Fatal(err)
		}
		a, err := newApp(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		defer a.close()
		return a.options
	}
	named := map[string]string{}
	for w := range settings.Count {
		named[w.Info().Variable] = at(w, "named")
	}
	stored, environment := start("mainnet", dir, map[string]string{}), start("mainnet", dir, named)
	defaults, sandboxed := start("mainnet", t.TempDir(), map[string]string{}), start("sandbox", t.TempDir(),
		map[string]string{})
	for w := range settings.Count {
		t.Run("R004-469 "+w.String(), func(t *testing.T) {
			about := w.Info()
			if got := stored.services[w]; got != (settings.InForce{URL: at(w, "stored"), Source: settings.FromStored}) ||
				stored.reach(w) == nil {
				t.Errorf("stored, and in force is %+v", got)
			}
			if got := environment.services[w]; got != (settings.InForce{URL: at(w, "named"), Source: settings.FromEnvironment}) {
				t.Errorf("named, and in force is %+v", got)
			}
			if got := defaults.services[w]; got.Source != settings.FromDefault || (got.URL == "") != about.Optional {
				t.Errorf("by default in force is %+v", got)
			}
			want := sandboxed.services[settings.GRPC].URL + about.Sandbox
			if about.Optional {
				want = ""
			}
			if got := sandboxed.services[w]; got.URL != want || got.Source != settings.FromDefault {
				t.Errorf("on a sandbox in force is %+v, want %q", got, want)
			}
		})
	}
}

// TestSameNodes checks that the second node may not be the first, wherever its address is set.
func TestSameNodes(t *testing.T) {
	s, err := parseOptions(environment(map[string]string{"SAY_UR_INTENT_DATA_DIR": t.TempDir(),
		"SUI_GRPC_URL_2": "https://other.example"}), nil)
	if err != nil || s.sameNodes() {
		t.Fatal(err)
	}
	never := func(_ settings.Which, err error) { t.Error(err) }
	s.useStored(settings.Stored{Addresses: [settings.Count]string{settings.GRPC: "https://other.example"}}, never)
	if !s.sameNodes() {
		t.Errorf("%+v", s.services)
	}
	d := doctor{s: s}
	d.second(t.Context())
	if len(d.findings) != 1 || d.findings[0].Level != levelWarn || !strings.Contains(d.findings[0].What,
		"the same as the first") {
		t.Errorf("%+v", d.findings)
	}
}

// TestStoredNameIsJudgedWhenDialled checks stored host names on each connection, because a name may
// resolve to another address than when it was stored.
func TestStoredNameIsJudgedWhenDialled(t *testing.T) {
	private, public := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("93.184.215.14")
	for w := range settings.Count {
		var s options
		s.services[w] = settings.InForce{URL: "https://node.example", Source: settings.FromStored}
		if reach := s.reach(w); reach == nil || reach(private) == nil || reach(public) != nil {
			t.Errorf("%s: a private address is dialled, or a public one is not", w)
		}
		s.services[w].URL = "https://10.0.0.1"
		if reach := s.reach(w); reach == nil || reach(private) == nil {
			t.Errorf("%s: an address that nobody may store is dialled", w)
		}
		for _, from := range []settings.Source{settings.FromFlag, settings.FromEnvironment, settings.FromDefault} {
			s.services[w].Source = from
			if s.reach(w) != nil {
				t.Errorf("%s from %s is held to what is stored", w, from)
			}
		}
	}
}

// TestProber queries real HTTP and gRPC servers.
func TestProber(t *testing.T) {
	node := ownChain(t)
	graph := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"chainIdentifier":"35834a8a"}}`)
	}))
	defer graph.Close()
	ask := func(network string, w settings.Which, url string) (string, error) {
		t.Helper()
		e, err := settings.ParseEndpoint(w, url)
		if err != nil {
			t.Fatal(err)
		}
		return prober{networks[network], time.Now}.ChainOf(t.Context(), w, e)
	}
	if told, err := ask("sandbox", settings.GRPC, node); err != nil || len(told) < 40 {
		t.Errorf("the sandbox's own: %q, %v", told, err)
	}
	if _, err := ask("mainnet", settings.GRPC, node); !fault.Is(err, fault.NetworkMismatch) {
		t.Errorf("a sandbox for mainnet: %v", err)
	}
	if told, err := ask("mainnet", settings.GraphQL, graph.URL+"/graphql"); err != nil || told != "35834a8a" {
		t.Errorf("mainnet's GraphQL: %q, %v", told, err)
	}
	if _, err := ask("sandbox", settings.GraphQL, graph.URL+"/graphql"); !fault.Is(err, fault.NetworkMismatch) {
		t.Errorf("mainnet's GraphQL for the sandbox: %v", err)
	}
	if _, err := ask("mainnet", settings.GRPC, "http://127.0.0.1:1024"); !fault.Is(err, fault.ProviderUnavailable) {
		t.Errorf("nobody there: %v", err)
	}
}
