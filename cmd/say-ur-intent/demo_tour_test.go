//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestTour plays the user of the tour, who connects a wallet, signs a swap and an order, sets a
// limit, reads a review that the limit blocks, and reads the receipt.
func TestTour(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := newTour(t, &out)
	visited := []string{}
	g := guide{d, func(_ context.Context, link string) error {
		if strings.Contains(link, "/receipt/") {
			visited = append(visited, "receipt")
			answer, err := http.Get(link)
			if err == nil {
				_ = answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					err = errors.New(answer.Status)
				}
			}
			return err
		}
		page, err := openLink(link)
		if err != nil {
			return err
		}
		visited = append(visited, page.kind)
		switch page.kind {
		case "connect":
			return chooseAccount(page)
		case "settings":
			return page.post("/api/settings/"+page.id+"/limits", map[string]any{
				"perTransaction": []map[string]any{{"coin": sui.SUI, "most": tourLimit}}, "perDay": []map[string]any{},
				"protocols": []string{}, "recipients": []string{}, "everyProtocol": true, "everyRecipient": true,
			}, nil)
		}
		return signAsPerson(d, page)
	}}
	if err := g.lead(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if got := strings.Join(visited, " "); got != "connect review review settings review receipt" {
		t.Errorf("it led to %s", got)
	}
	for _, want := range []string{"1. Start a chain", "2. Connect:", "3. Swap:", "4. Order:", "5. Limit:", "6. Receipt:",
		"It cannot be signed", "/console/", "the address book", " install"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("what goes into a file has a terminal's colours")
	}
}

// newTour returns a tour that runs the server from this test's binary.
func newTour(t *testing.T, out *bytes.Buffer) *demo {
	t.Helper()
	long.Skip(t, "it starts the program")
	d := &demo{process: process{Stdout: out, Stderr: io.Discard, Now: time.Now, Getenv: func(string) string { return "" }},
		environ: []string{asProgram + "=1"}}
	t.Cleanup(d.close)
	return d
}

// signAsPerson signs a review, unless it is blocked.
func signAsPerson(d *demo, page *person) error {
	shown, err := d.ready(page)
	if err != nil {
		if shown.Status == record.Blocked {
			return nil
		}
		return err
	}
	_, err = d.handOff(page, shown)
	return err
}

// TestTourEnds checks that canceling the tour's context ends it while it waits.
func TestTourEnds(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := newTour(t, &out)
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- guide{d, func(context.Context, string) error { close(opened); return errors.New("no browser") }}.lead(ctx)
	}()
	<-opened
	cancel()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a tour that was broken off has succeeded")
		}
	case <-time.After(double.Patience):
		t.Error("it waits on")
	}
	select { // without the cancellation, the server would still be running
	case <-d.client.wait():
	case <-time.After(double.Patience):
		t.Error("the server that it waited for still runs")
	}
	if !strings.Contains(out.String(), "(Open it in a browser on this computer.)") {
		t.Errorf("nothing says what to do without a browser: %s", &out)
	}
}

// TestScreen checks colors and the progress line on a terminal, and plain lines elsewhere.
func TestScreen(t *testing.T) {
	tell := func(environment map[string]string, terminal bool) string {
		var out bytes.Buffer
		s := newScreen(process{Stdout: &out, Getenv: func(name string) string { return environment[name] },
			screen: func() bool { return terminal }}, 2)
		s.stage("First")
		s.say("Leaves:   10 SUI")
		s.stage("Second")
		s.end()
		return out.String()
	}
	const want = "\n1. First\n   Leaves:   10 SUI\n\n2. Second\n"
	for name, got := range map[string]string{
		"into a file":      tell(nil, false),
		"NO_COLOR":         tell(map[string]string{"NO_COLOR": "1"}, true),
		"a plain terminal": tell(map[string]string{"TERM": "dumb"}, true),
	} {
		if got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	got := tell(nil, true)
	for _, part := range []string{bold + "First" + plain, faint + "Leaves:" + plain + "   10 SUI", " 1 of 2", " 2 of 2",
		erase} {
		if !strings.Contains(got, part) {
			t.Errorf("a terminal does not get %q: %q", part, got)
		}
	}
	if !strings.HasSuffix(got, erase) {
		t.Errorf("the line of progress stays: %q", got)
	}
}
