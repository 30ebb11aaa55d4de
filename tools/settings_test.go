package tools_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// recipientHere is the only address that these tests' user pays.
const recipientHere = "0x00000000000000000000000000000000000000000000000000000000000a11ce"

// nodes is the network outside of these tests: every name resolves to a public address, and every
// node has this chain.
type nodes struct{}

func (nodes) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

func (nodes) ChainOf(context.Context, settings.Which, settings.Endpoint) (string, error) {
	return "4c78adac", nil
}

// backup returns the backup service, configured as in the program.
func (w *world) backup() *backup.Service {
	return backup.New(backup.Config{Store: w.Store, Settings: w.settings(), Now: w.Clock.Now, Network: "sui:sandbox"})
}

// settings returns the settings service, configured as in the program, with a secret address in the
// environment.
func (w *world) settings() *settings.Service {
	environment := func(url string) settings.InForce {
		return settings.InForce{URL: url,
			Source: settings.FromEnvironment}
	}
	return settings.New(settings.Config{
		Store: w.Store, Resolver: nodes{}, Prober: nodes{},
		InForce: [settings.Count]settings.InForce{settings.GRPC: {URL: "https://node.example", Source: settings.FromDefault},
			settings.GraphQL: environment("https://alice:hunter2@graph.example/v1/s3cretkey?key=t0ken"),
			settings.Second:  {Source: settings.FromDefault}, settings.Archive: {Source: settings.FromDefault},
			settings.Indexer: {URL: "https://indexer.example", Source: settings.FromDefault},
			settings.Quoter:  {URL: "https://quoter.example", Source: settings.FromDefault}},
		Defaults: [settings.Count]string{settings.GRPC: "https://node.example",
			settings.GraphQL: "https://graph.example/graphql", settings.Second: "none",
			settings.Archive: "none", settings.Indexer: "https://indexer.example", settings.Quoter: "https://quoter.example"},
		Protocols: []policy.Protocol{{Slug: "deep", Name: "DeepBookV3"}},
		Released: func(ctx context.Context) ([]policy.Release, time.Time, error) {
			now := w.Clock.Now()
			handed, err := w.Store.Handed(ctx, now.Add(-policy.Day))
			return record.ReleasesOf(handed), now, err
		},
	})
}

// limit does what the user does on the settings page.
func (w *world) limit() {
	w.t.Helper()
	_, err := w.settings().SetAllowance(context.Background(), policy.AllowanceText{
		PerTransaction: []policy.LimitText{{Coin: sui.SUI, Most: "5.5"}}, Protocols: []string{"deep"},
		Recipients: []string{recipientHere},
	}, "")
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestGetLocalSettings(t *testing.T) {
	w := build(t, nil)
	get := func() map[string]any { t.Helper(); return w.must("settings.get_local_settings", `{}`) }
	text := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	t.Run("R004-459 effective addresses with their sources", func(t *testing.T) {
		out := get()
		for path, want := range map[string]string{"suiGrpcUrl": "default", "suiGraphqlUrl": "environment"} {
			if got := out[path].(map[string]any)["source"]; got != want {
				t.Errorf("%s comes from %v, want %s", path, got, want)
			}
		}
	})
	t.Run("no part of an address that can be a secret is told", func(t *testing.T) {
		told := text(get())
		for _, secret := range []string{"hunter2", "s3cretkey", "t0ken", "alice"} {
			if strings.Contains(told, secret) {
				t.Errorf("%s is told: %s", secret, told)
			}
		}
		if !strings.Contains(told, "https://graph.example/…") {
			t.Errorf("the host is not told: %s", told)
		}
	})
	t.Run("a stored address waits for the restart", func(t *testing.T) {
		s := w.settings()
		asked, err := s.SetEndpoint(t.Context(), settings.GRPC, "https://other.example", "")
		if err == nil {
			_, err = s.SetEndpoint(t.Context(), settings.GRPC, "https://other.example", asked.Confirm)
		}
		if err != nil {
			t.Fatal(err)
		}
		grpc := get()["suiGrpcUrl"].(map[string]any)
		if grpc["pendingStoredValue"] != "https://other.example" || grpc["appliesAfter"] != "mcp_server_restart" ||
			grpc["effectiveValue"] != "https://node.example" {
			t.Errorf("%v", grpc)
		}
	})
	t.Run("R004-459 a stored address of another service is listed", func(t *testing.T) {
		if others := get()["otherServices"]; others != nil {
			t.Errorf("all have their defaults, and it lists %v", others)
		}
		err := w.Store.ChangeSettings(t.Context(), func(s *settings.Stored) error {
			s.Addresses[settings.Archive] = "https://archive.example"
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"suiArchiveUrl":{"appliesAfter":"mcp_server_restart","defaultValue":"none","effectiveValue":"none",` +
			`"pendingStoredValue":"https://archive.example","source":"default","storedValue":"https://archive.example"}}`
		if got := text(get()["otherServices"]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("what the person opened is told, without the credentials", func(t *testing.T) {
		if told := text(get()); strings.Contains(told, "sharing") || strings.Contains(told, "externalTransactionMaterial") {
			t.Errorf("nothing is opened, and it says: %s", told)
		}
		if err := w.Store.ChangeSettings(t.Context(), func(s *settings.Stored) error {
			s.Switches[settings.Material] = settings.On
			s.Sharing = settings.Sharing{On: true, URL: "nats://nats.example:4222", Credentials: "/home/alice/s3cretkey.creds",
				Profile: "home"}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		told := text(get())
		if !strings.Contains(told, `"externalTransactionMaterial":true`) ||
			!strings.Contains(told, `"sharing":{"natsServer":"nats://nats.example:4222","profile":"home"}`) ||
			strings.Contains(told, "s3cretkey") {
			t.Errorf("it says: %s", told)
		}
	})
	t.Run("limits and lists explain a block", func(t *testing.T) {
		w.limit()
		told := text(get())
		for _, words := range []string{`"displayAmount":"5.5"`, `"rawAmount":"5500000000"`, `"symbol":"SUI"`,
			`"only":["deep"]`, recipientHere} {
			if !strings.Contains(told, words) {
				t.Errorf("%s is not told: %s", words, told)
			}
		}
	})
}

// TestSettingsToolsChangeNothing calls both tools and compares all stored data. Amounts released
// today count toward the daily limit.
func TestLimitsSayWhatIsLeft(t *testing.T) {
	w := build(t, nil)
	if _, err := w.settings().SetAllowance(t.Context(), policy.AllowanceText{PerDay: []policy.LimitText{{Coin: sui.SUI,
		Most: "30"}}}, ""); err != nil {
		t.Fatal(err)
	}
	left := func() string {
		limits := w.must("settings.get_local_settings",
			`{}`)["spendingLimits"].(map[string]any)["perDay"].([]any)[0].(map[string]any)
		return limits["usedDisplayAmount"].(string) + " used, " + limits["leftDisplayAmount"].(string) + " left"
	}
	if got := left(); got != "0 used, 30 left" {
		t.Error(got)
	}
	w.HandOff(w.Ready(testkit.Swap("10", "SUI", "USDC")))
	if got := left(); got != "10 used, 20 left" {
		t.Error(got)
	}
	w.Clock.Advance(policy.Day + time.Minute)
	if got := left(); got != "0 used, 30 left" {
		t.Errorf("a day later: %s", got)
	}
}

func TestSettingsToolsChangeNothing(t *testing.T) {
	w := build(t, nil)
	w.limit()
	before, err := w.Store.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	t.Run("R004-458 every call makes a page of its own", func(t *testing.T) {
		for range 2 {
			out := w.must("settings.create_local_settings_session", `{}`)
			id, _ := out["settingsSessionId"].(string)
			if !strings.Contains(out["settingsUrl"].(string), "/settings/"+id+"#") || out["openTarget"] != "system_browser" ||
				out["accessScope"] != "same_machine_loopback" {
				t.Errorf("%v", out)
			}
			ids = append(ids, id)
		}
		if ids[0] == ids[1] {
			t.Error("two calls gave one page")
		}
	})
	t.Run("R004-460 the tools take nothing and change nothing", func(t *testing.T) {
		for _, name := range []string{"settings.create_local_settings_session", "settings.get_local_settings"} {
			for _, args := range []string{`{"suiGrpcUrl":"https://evil.example"}`, `{"spendingLimits":{}}`} {
				if answer, _ := w.call(name, args); !fault.Is(answer.Fault, fault.InputInvalid) {
					t.Errorf("%s takes %s", name, args)
				}
			}
		}
		w.must("settings.get_local_settings", `{}`)
		after, err := w.Store.Settings(t.Context())
		if err != nil || after.Addresses != before.Addresses || len(after.Allowance.PerTransaction) != 1 ||
			after.Allowance.Protocols[0] != "deep" {
			t.Errorf("%+v, %v", after, err)
		}
	})
}
