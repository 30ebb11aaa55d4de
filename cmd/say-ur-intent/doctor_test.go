//go:build unix

package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// examine runs doctor in this process with a separate home directory.
func examine(t *testing.T, env map[string]string, args ...string) (code int, findings map[string]finding, text string) {
	t.Helper()
	if _, set := env["SUI_GRPC_URL"]; set && !slices.Contains(args, "sandbox") {
		// Tests must not contact services on the internet.
		env = maps.Clone(env)
		env["DEEPBOOK_INDEXER_URL"], env["FLOWX_QUOTER_URL"] = "http://127.0.0.1:9", "http://127.0.0.1:9"
	}
	var out, problems bytes.Buffer
	code = run(process{
		Stdout: &out, Stderr: &problems, Now: time.Now,
		Getenv: func(name string) string { return env[name] },
	}, append([]string{"doctor", "--json"}, args...))
	var answer struct{ Findings []finding }
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), problems.String())
	}
	findings = map[string]finding{}
	for _, f := range answer.Findings {
		findings[f.Check] = f
		if (f.Level == levelOK) != (f.Next == "") {
			t.Errorf("%s is %s and says %q to do", f.Check, f.Level, f.Next)
		}
		if f.What == "" || !strings.HasSuffix(f.What, ".") && !strings.Contains(f.What, "chmod") {
			t.Errorf("%s is told by no sentence: %s", f.Check, f.What)
		}
	}
	return code, findings, out.String()
}

// chainAt serves a sandbox whose clock is off by the given duration.
func chainAt(t *testing.T, off time.Duration) string {
	t.Helper()
	chain, err := sandbox.New(sandbox.Config{Now: func() time.Time { return time.Now().Add(off) }})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = chain.Serve(ln) }()
	t.Cleanup(func() { chain.Close(); <-done })
	return "http://" + ln.Addr().String()
}

// atHome sets HOME to an empty directory.
func atHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	return home
}

func TestDoctorComparesClocks(t *testing.T) {
	atHome(t)
	for _, c := range []struct {
		name        string
		off         time.Duration
		level, what string
	}{
		{"right", 0, levelOK, "Within"},
		{"this machine is behind", 5 * time.Minute, levelWarn, "behind the chain's"},
		{"this machine is ahead", -5 * time.Minute, levelWarn, "ahead of the newest checkpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{"SUI_GRPC_URL": chainAt(t, c.off), "SAY_UR_INTENT_DATA_DIR": t.TempDir()}
			code, found, _ := examine(t, env, "--network", "sandbox")
			if f := found["clock"]; code != exitOK || f.Level != c.level || !strings.Contains(f.What, c.what) {
				t.Errorf("code %d, %+v", code, f)
			}
			if f := found["node"]; f.Level != levelOK || !strings.Contains(f.What, "responds in") {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestDoctorExitCodes(t *testing.T) {
	atHome(t)
	silent := "http://127.0.0.1:9"
	t.Run("only the node is away: 3", func(t *testing.T) {
		code, found, _ := examine(t, map[string]string{"SUI_GRPC_URL": silent, "SUI_GRAPHQL_URL": silent + "/graphql",
			"SAY_UR_INTENT_DATA_DIR": t.TempDir()})
		if code != exitUnreachable || !found["node"].Unreachable || found["graphql"].Level != levelWarn {
			t.Errorf("code %d, %+v", code, found["node"])
		}
	})
	t.Run("another chain: 1", func(t *testing.T) {
		code, found, _ := examine(t, map[string]string{"SUI_GRPC_URL": chainAt(t, 0), "SUI_GRAPHQL_URL": silent + "/graphql",
			"SAY_UR_INTENT_DATA_DIR": t.TempDir()})
		if f := found["node"]; code != exitFailed || f.Level != levelFail || !strings.Contains(f.What,
			"a different chain than sui:mainnet") {
			t.Errorf("code %d, %+v", code, f)
		}
	})
	t.Run("something here is broken too: 1", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "mainnet"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		code, found, _ := examine(t, map[string]string{"SUI_GRPC_URL": silent, "SUI_GRAPHQL_URL": silent + "/graphql",
			"SAY_UR_INTENT_DATA_DIR": dir})
		if code != exitFailed || found["data"].Level != levelFail {
			t.Errorf("code %d, %+v", code, found["data"])
		}
	})
}

func TestDoctorLooksAtThePages(t *testing.T) {
	atHome(t)
	dir := t.TempDir()
	env := map[string]string{"SAY_UR_INTENT_DATA_DIR": dir}
	server := startServer(t, dir)
	origin := pagesOrigin(t, server)
	_, found, _ := examine(t, env, "--network", "sandbox")
	if f := found["pages"]; f.Level != levelOK || !strings.Contains(f.What, origin) {
		t.Errorf("%+v", f)
	}
	if f := found["server"]; f.Level != levelOK || !strings.Contains(f.What, "--standalone") || !strings.Contains(f.What,
		"AI clients: 1") {
		t.Errorf("%+v", f)
	}
	if f := found["database"]; f.Level != levelOK {
		t.Errorf("a database at work: %+v", f)
	}
	server.stop()
	_, found, _ = examine(t, env, "--network", "sandbox")
	if f := found["pages"]; f.Level != levelOK || !strings.Contains(f.What, "is available") {
		t.Errorf("after the end: %+v", f)
	}

	host := strings.TrimPrefix(origin, "http://")
	foreign, err := net.Listen("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if _, found, _ = examine(t, env, "--network", "sandbox"); found["pages"].Level != levelWarn {
		t.Errorf("a program on the kept port: %+v", found["pages"])
	}
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		t.Fatal(err)
	}
	env["SAY_UR_INTENT_REVIEW_PORT"] = port
	if _, found, _ = examine(t, env, "--network", "sandbox"); found["pages"].Level != levelFail {
		t.Errorf("a program on the named port: %+v", found["pages"])
	}
}

func TestDoctorUsesTheStoredNode(t *testing.T) {
	atHome(t)
	dir := t.TempDir()
	url := chainAt(t, 0)
	server := startServer(t, dir)
	server.stop()
	storeNode(t, filepath.Join(dir, "sandbox"), url)
	_, found, _ := examine(t, map[string]string{"SAY_UR_INTENT_DATA_DIR": dir}, "--network", "sandbox")
	if f := found["node"]; f.Level != levelOK || !strings.Contains(f.What, url) {
		t.Errorf("%+v", f)
	}
}

func TestAddressesAreShownWithoutKeys(t *testing.T) {
	for text, want := range map[string]string{
		"https://h.example/graphql":       "https://h.example/graphql",
		"https://u:pw@h.example/graphql":  "https://h.example/graphql",
		"https://h.example/v2/KEY":        "https://h.example/…",
		"https://h.example/graphql?k=KEY": "https://h.example/…",
		"https://h.example":               "https://h.example",
		"::KEY":                           "The address",
	} {
		if got := shownURL(text); got != want {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
}

// TestDoctorNamesWhatIsDamaged checks that damaged records are listed with suggested fixes, and
// that the other checks still run.
func TestDoctorNamesWhatIsDamaged(t *testing.T) {
	atHome(t)
	env := map[string]string{"SAY_UR_INTENT_DATA_DIR": t.TempDir()}
	server := startServer(t, env["SAY_UR_INTENT_DATA_DIR"])
	server.stop()
	data := filepath.Join(env["SAY_UR_INTENT_DATA_DIR"], "sandbox")
	file := filepath.Join(data, "say-ur-intent.db")
	_, found, _ := examine(t, env, "--network", "sandbox")
	if _, said := found["records"]; said || found["database"].Level != levelOK {
		t.Fatalf("%+v", found)
	}
	edit := func(t *testing.T, query string) {
		t.Helper()
		db, err := sql.Open("sqlite", "file://"+file+"?_pragma=ignore_check_constraints(1)")
		if err == nil {
			_, err = db.Exec(query)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	edit(t, `INSERT INTO settings VALUES ('allowance', '{"perDay":7}', 1); INSERT INTO active_account (id, account, chain, wallet_name, wallet_id, proven,
		connected_at) VALUES (1, x'00', '', '', '', 0, 1)`)
	_, found, _ = examine(t, env, "--network", "sandbox")
	f := found["records"]
	if f.Level != levelWarn || !strings.Contains(f.What, "settings allowance: ") || !strings.Contains(f.What,
		"active account ") ||
		!strings.Contains(f.What, "account has 1 bytes instead of 32") || !strings.Contains(f.Next, "Erase everything") {
		t.Errorf("%+v", f)
	}
	if found["database"].Level != levelOK {
		t.Errorf("%+v", found["database"])
	}
	t.Run("a format that nobody makes", func(t *testing.T) {
		edit(t, `PRAGMA user_version = -1`)
		code, found, _ := examine(t, env, "--network", "sandbox")
		if f := found["database"]; code != exitFailed || f.Level != levelFail || !strings.Contains(f.What, "format -1") ||
			!strings.Contains(f.What, file) {
			t.Errorf("code %d, %+v", code, f)
		}
	})
	t.Run("a log of another database", func(t *testing.T) {
		if err := os.WriteFile(file+"-wal", []byte(strings.Repeat("another log ", 10)), 0o600); err != nil {
			t.Fatal(err)
		}
		code, found, _ := examine(t, env, "--network", "sandbox")
		if f := found["database"]; code != exitFailed || f.Level != levelFail || !strings.Contains(f.What, file+"-wal") {
			t.Errorf("code %d, %+v", code, f)
		}
	})
}

// TestDoctorComparesPins checks that doctor reports packages that differ from their pins.
func TestDoctorComparesPins(t *testing.T) {
	atHome(t)
	env := map[string]string{"SUI_GRPC_URL": chainAt(t, 0), "SAY_UR_INTENT_DATA_DIR": t.TempDir()}
	_, found, _ := examine(t, env, "--network", "sandbox")
	if f := found["pins"]; f.Level != levelOK || !strings.Contains(f.What, "10 pinned packages and objects") {
		t.Errorf("%+v", f)
	}
	node, err := rpc.New(rpc.Config{URL: env["SUI_GRPC_URL"], Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = node.Close() }()
	for name, other := range map[string]otherPackage{
		"another version":  {node, func(_ *sui.ObjectID, number *uint64) error { *number++; return nil }},
		"another ancestor": {node, func(original *sui.ObjectID, _ *uint64) error { original[0]++; return nil }},
		"no such package": {node, func(*sui.ObjectID, *uint64) error {
			return fault.New(fault.ProviderRefused, "None.").With("code", "NotFound")
		}},
		"a node that fails": {node, func(*sui.ObjectID, *uint64) error {
			return fault.New(fault.ProviderUnavailable,
				"Away.")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &doctor{}
			d.pins(t.Context(), other)
			f := d.findings[0]
			if name == "a node that fails" {
				if f.Level != levelWarn || !strings.Contains(f.What, "Not compared: Away.") {
					t.Errorf("%+v", f)
				}
				return
			}
			if f.Level != levelFail || !strings.Contains(f.What, "DeepBook's package ") || !strings.Contains(f.What,
				"differs from its pin on this node's chain") || !strings.Contains(f.Next, "Sign nothing") {
				t.Errorf("%+v", f)
			}
		})
	}
}

// otherPackage is a node that reports changed packages.
type otherPackage struct {
	*rpc.Client
	change func(original *sui.ObjectID, number *uint64) error
}

func (o otherPackage) Package(ctx context.Context, id sui.ObjectID) (sui.ObjectID, uint64, error) {
	original, number, err := o.Client.Package(ctx, id)
	if err == nil {
		err = o.change(&original, &number)
	}
	return original, number, err
}

// TestDoctorSaysWhyNoServerStarts checks that doctor repeats why the last server failed to start.
func TestDoctorSaysWhyNoServerStarts(t *testing.T) {
	atHome(t)
	dir := shelter(t)
	foreign := filepath.Join(dir, "sandbox", "say-ur-intent.db")
	if err := os.MkdirAll(filepath.Dir(foreign), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(foreign, bytes.Repeat([]byte("noise "), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	refusedStart(t, dir)
	_, found, _ := examine(t, map[string]string{dataDirVariable: dir}, "--network", "sandbox")
	if f := found["server"]; f.Level != levelWarn || !strings.Contains(f.What, "is damaged, or is not a database") {
		t.Errorf("%+v", f)
	}
}
