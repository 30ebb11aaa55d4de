package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// watched records all bytes that were written, in order.
type watched struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(p)
}

func (w *watched) bytes() []byte { w.mu.Lock(); defer w.mu.Unlock(); return bytes.Clone(w.all.Bytes()) }

// pipedClient returns an AI client whose server is in this process. w receives all bytes of both
// directions.
func pipedClient(w io.Writer) (c *mcpClient, in, out *os.File, close func()) {
	in, give, _ := os.Pipe()
	take, out, _ := os.Pipe()
	c = &mcpClient{in: teeCloser{io.MultiWriter(give, w), give}, out: bufio.NewScanner(io.TeeReader(take, w)), pipe: take}
	c.out.Buffer(nil, 4<<20)
	return c, in, out, func() { _ = give.Close() }
}

type teeCloser struct {
	io.Writer
	io.Closer
}

// browser is the HTTP transport of a user's pages. It collects the secrets that pass through it,
// and calls submits when the signed transaction is submitted.
type browser struct {
	mu      sync.Mutex
	secrets map[string]string // by kind; none may leave the computer
	submits func()
}

func (b *browser) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/signed") {
		b.submits()
	}
	if token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); token != "" {
		b.keep("a page's token", token)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(text))
	var v struct {
		Bytes     []byte `json:"bytes"`
		Signature []byte `json:"signature"`
		Nonce     string `json:"releaseNonce"`
		JSON      string `json:"transactionJson"`
	}
	if json.Unmarshal(text, &v) == nil {
		b.keep("the transaction's bytes", string(v.Bytes))
		b.keep("the transaction's bytes in base64", base64.StdEncoding.EncodeToString(v.Bytes))
		b.keep("the transaction's bytes in hexadecimal", hex.EncodeToString(v.Bytes))
		b.keep("the signature", base64.StdEncoding.EncodeToString(v.Signature))
		b.keep("the release's nonce", v.Nonce)
		b.keep("the wallet's transaction", v.JSON)
	}
	return answer, err
}

func (b *browser) keep(what, secret string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(secret) >= 16 {
		b.secrets[what+" "+secret[:8]] = secret
	}
}

// open opens a page through a link that the user's own server creates.
func (b *browser) open(t *testing.T, s *shared, kind pagetoken.Kind, id string) *person {
	t.Helper()
	link, err := s.link(t.Context(), kind, id)
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(link, "#")
	b.keep("a link's code", code)
	page, err := openLink(link)
	if err != nil {
		t.Fatal(err)
	}
	page.http.Transport = b
	b.keep("a page's token", page.token)
	return page
}

// overheard records every message that is published on a NATS server.
func overheard(t *testing.T, url string) (*watched, *nats.Conn) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	w := &watched{}
	if _, err := nc.Subscribe(">", func(m *nats.Msg) {
		_, _ = fmt.Fprintf(w, "\n%s %s %v\n", m.Subject, m.Reply, m.Header)
		_, _ = w.Write(m.Data)
	}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return w, nc
}

// none reports an error for each of the words that occurs in all.
func none(t *testing.T, where string, all []byte, words map[string]string) {
	t.Helper()
	for what, word := range words {
		if bytes.Contains(all, []byte(word)) {
			t.Errorf("%s shows %s: %.60q", where, what, word)
		}
	}
}

// TestEveryByte runs a whole job with the AI client on another machine. It checks every published
// byte, and every frame before it is sealed. Nothing that signs, opens a page, or reveals the
// digest too early may leave the computer, and the NATS server must neither learn nor store
// anything.
func TestEveryByte(t *testing.T) {
	url, home, away := natskit.Server(t, 0), t.TempDir(), t.TempDir()
	published, nc := overheard(t, url)
	s := shareAt(t, home, url)
	s.pairAt(t, away, url)
	frames := &watched{}
	far, in, out, hangUp := pipedClient(frames)
	ended := make(chan int, 1)
	go func() {
		ended <- run(process{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now,
			Getenv: func(name string) string { return map[string]string{dataDirVariable: away}[name] },
			claim:  func() (*os.File, *os.File) { return in, out }}, []string{"connect", "--nats", url, "--profile", "home"})
	}()
	t.Cleanup(func() { hangUp(); <-ended })
	if err := far.initialize("far client"); err != nil {
		t.Fatal(err)
	}
	var early []byte // frames before the signed transaction is submitted
	b := &browser{secrets: map[string]string{}, submits: func() { early = frames.bytes() }}
	digest := s.wholeJob(t, b, far)
	for _, side := range []struct {
		dir  string
		side relay.Side
	}{{s.options.dataDir, relay.Sharing}, {away, relay.Connecting}} {
		p, err := relay.OpenProfile(side.dir, side.side, "home")
		if err != nil {
			t.Fatal(err)
		}
		b.keep("a private key", p.Own.Private.String())
		b.keep("a private key as bytes", string(p.Own.Private[:]))
		b.keep("a private key in base64", base64.StdEncoding.EncodeToString(p.Own.Private[:]))
	}
	if len(early) == 0 || len(b.secrets) < 12 {
		t.Fatalf("the job was not watched: %d bytes before it was signed, %d secrets", len(early), len(b.secrets))
	}
	none(t, "a frame", frames.bytes(), b.secrets)
	if coded := regexp.MustCompile(`127\.0\.0\.1:\d+/[\w/-]*#[\w-]*`).Find(frames.bytes()); coded != nil {
		t.Errorf("a frame has the link %s", coded)
	}
	none(t, "a message", published.bytes(), b.secrets)
	none(t, "what was sent before the transaction was", early, map[string]string{"the digest": digest})

	words := map[string]string{"the account": sandbox.Account.String()[2:], "the digest": digest, "a method": `"jsonrpc"`,
		"a conversation": "conv_", "a coin": "::sui::SUI", "a link": "127.0.0.1:", "the event's type": "WalletTxResponse",
		"a line": "[[SYSTEM"}
	for _, name := range regexp.MustCompile(`"name":"([a-z_.]{8,})"`).FindAllSubmatch(frames.bytes(), -1) {
		words["the tool "+string(name[1])] = string(name[1])
	}
	if len(words) < 40 {
		t.Fatalf("only %d words are looked for", len(words))
	}
	none(t, "a message", published.bytes(), words)
	keepsNothing(t, nc)
}

// wholeJob connects a wallet, has the other machine prepare a swap, signs it on the user's machine,
// and has the other machine wait for the result. It returns the digest.
func (s *shared) wholeJob(t *testing.T, b *browser, far *mcpClient) (digest string) {
	t.Helper()
	var connected struct {
		ID string `json:"walletSessionId"`
	}
	if err := far.call("session.create_wallet_identity", map[string]any{}, &connected); err != nil {
		t.Fatal(err)
	}
	if err := chooseAccount(b.open(t, s, pagetoken.Connect, connected.ID)); err != nil {
		t.Fatal(err)
	}
	var prepared struct {
		ID string `json:"reviewSessionId"`
	}
	if err := far.call("action.prepare_sui_action_review", swapRequest("10"), &prepared); err != nil {
		t.Fatal(err)
	}
	review := b.open(t, s, pagetoken.Review, prepared.ID)
	d := &demo{process: process{Stdout: io.Discard, Now: time.Now}}
	shown, err := d.read(review)
	if err != nil {
		t.Fatal(err)
	}
	if err := far.request("tools/list", map[string]any{}, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"session.get_review_status", "read.get_review_session_detail"} {
		if err := far.call(tool, map[string]any{"reviewSessionId": prepared.ID}, &struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.sign(review, shown); err != nil {
		t.Fatal(err)
	}
	var result struct {
		Status string `json:"status"`
		Result struct {
			Digest string `json:"txDigest"`
		} `json:"executionResult"`
	}
	if err := far.call("session.wait_execution_result", map[string]any{"reviewSessionId": prepared.ID, "detail": "full"},
		&result); err != nil ||
		result.Status != "success" || len(result.Result.Digest) < 40 {
		t.Fatalf("%+v, %v", result, err)
	}
	return result.Result.Digest
}

// keepsNothing checks that the NATS server, which supports streams, has none.
func keepsNothing(t *testing.T, nc *nats.Conn) {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	names := js.StreamNames(t.Context())
	for name := range names.Name() {
		t.Errorf("the server keeps the stream %s", name)
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
}
