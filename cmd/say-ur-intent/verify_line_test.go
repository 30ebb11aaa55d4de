//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLineOfTheReviewPage checks that the command on the review page accepts only the bytes that
// the wallet receives.
func TestLineOfTheReviewPage(t *testing.T) {
	t.Setenv(asProgram, "1")
	var said bytes.Buffer
	d := &demo{process: process{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &logged{t: t}, Getenv: os.Getenv,
		Now: time.Now}}
	defer d.close()
	if err := d.start(); err != nil {
		t.Fatal(err, said.String())
	}
	if err := d.connect(); err != nil {
		t.Fatal(err)
	}
	_, page, err := d.prepare("10")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := d.read(page)
	if err != nil {
		t.Fatal(err)
	}
	line := verifyLine(t, page)
	var handed struct {
		Bytes []byte `json:"bytes"`
	}
	err = page.post("/api/review/"+page.id+"/handoff", map[string]any{"revision": shown.Revision,
		"commitment": shown.Commitment}, &handed)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(line)
	if len(words) != 5 || words[0] != "say-ur-intent" || words[1] != "tx" {
		t.Fatalf("the line reads %q", line)
	}
	if code, out, errs := tx(base64.StdEncoding.EncodeToString(handed.Bytes), words[2:]...); code != exitOK {
		t.Errorf("the reviewed bytes: exit %d\n%s%s", code, out, errs)
	}
	if code, out, _ := tx(readTxFile(t, "swap.b64"), words[2:]...); code == exitOK {
		t.Errorf("other bytes are accepted:\n%s", out)
	}
}

// verifyLine reads the command from the page.
func verifyLine(t *testing.T, p *person) string {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, p.origin+"/api/review/"+p.id+"/view", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := p.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`data-part="verify">([^<]+)<`).FindSubmatch(body)
	if found == nil {
		t.Fatal("the page shows no line")
	}
	return html.UnescapeString(string(found[1]))
}
