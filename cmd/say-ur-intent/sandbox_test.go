package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// unhurried limits how long a test waits for something that must happen. It is long because the
// machine may be busy, and does not delay tests that pass.
const unhurried = 40 * time.Second

func TestSandboxFlags(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string // expected part of the error; "" if the books must be readable
	}{
		{"defaults", nil, ""},
		{"IPv6 loopback", []string{"--listen", "[::1]:0"}, ""},
		{"localhost by name", []string{"--listen", "localhost:0"}, ""},
		{"every interface", []string{"--listen", ":9000"}, "only loopback addresses"},
		{"a foreign address", []string{"--listen", "10.0.0.1:9000"}, "only loopback addresses"},
		{"a name that may be anything", []string{"--listen", "example.com:9000"}, "only loopback addresses"},
		{"no port", []string{"--listen", "127.0.0.1"}, "an address and a port"},
		{"stray word", []string{"now"}, "unexpected argument"},
		{"a lie", []string{"--lie", "LedgerService.GetEpoch:epoch.epoch=most"}, ""},
		{"a lie about one coin", []string{"--lie", "StateService.GetBalance[sui::SUI]:balance.balance=900"}, ""},
		{"a lie about a field that is not known", []string{"--lie", "LedgerService.GetEpoch:epoch.epok=most"},
			"\n  LedgerService.GetEpoch:epoch.epoch\n"},
		{"a lie without a value", []string{"--lie", "LedgerService.GetEpoch:epoch.epoch"}, "FIELD=VALUE"},
		{"seed that is no number", []string{"--seed", "x"}, `invalid argument "x" for "--seed" flag`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = "cannot read the books"
			}
			code, _, errs := line(append([]string{"sandbox", "--books", "testdata/none.json"}, c.args...)...)
			if code != exitBadInput || !strings.Contains(errs, c.want) {
				t.Errorf("code %d, got %q, want %q", code, errs, c.want)
			}
		})
	}
}

func TestSandboxCommand(t *testing.T) {
	t.Run("serves, names itself on one line and ends when told", func(t *testing.T) {
		out, in := io.Pipe()
		var problems bytes.Buffer
		ctx, stop := context.WithCancel(context.Background())
		failed := make(chan error, 1)
		go func() {
			p := process{Stdout: in, Stderr: &problems, Now: time.Now}
			failed <- serveSandbox(ctx, p, sandboxSettings{listen: "127.0.0.1:0", seed: 1})
		}()
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`^sandbox (http://127\.0\.0\.1:\d+) account 0x0881[0-9a-f]{60} chain [1-9A-Za-z]{40,}\n$`).FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("the line is %q", line)
		}
		answer, err := http.Post(m[1]+"/sandbox/fault", "application/json", strings.NewReader(`{"kind":"clear"}`))
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("the sandbox answered %v, %v", answer, err)
		}
		_ = answer.Body.Close()
		stop()
		select {
		case err := <-failed:
			if err != nil || problems.Len() > 0 {
				t.Errorf("ended with %v, %q", err, problems.String())
			}
		case <-time.After(unhurried):
			t.Fatal("did not end")
		}
	})
	t.Run("books that cannot be read are bad input", func(t *testing.T) {
		s := sandboxSettings{listen: "127.0.0.1:0", seed: 1, books: t.TempDir() + "/none.json"}
		err := serveSandbox(context.Background(), process{Stdout: io.Discard, Now: time.Now}, s)
		if f := (*failure)(nil); !errors.As(err, &f) || f.code != exitBadInput || !strings.Contains(err.Error(),
			"cannot read the books") {
			t.Errorf("ended with %v", err)
		}
	})
}
