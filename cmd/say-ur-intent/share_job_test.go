//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// apart is a user's computer and another machine. Each runs the real program in processes of its
// own, and they are connected only by NATS.
type apart struct {
	t          *testing.T
	urls       string
	home, away string   // data directories
	env        []string // environment of the user's program

	share *exec.Cmd
	said  *spoken // output of share
	page  *person // the home page
}

// program starts the real program with one machine's directory.
func (a *apart) program(dir string, said io.Writer, in io.Reader, args ...string) *exec.Cmd {
	a.t.Helper()
	long.Skip(a.t, "it starts the program")
	executable, err := os.Executable()
	if err != nil {
		a.t.Fatal(err)
	}
	cmd := exec.Command(executable, args...)
	cmd.Env = append(append(os.Environ(), asProgram+"=1", dataDirVariable+"="+dir), a.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, said, &logged{t: a.t}
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

var homeLink = regexp.MustCompile(`http://127\.0\.0\.1:\d+/#\S+`)

// startSharing runs share and opens the page that it prints, if that is not open yet.
func (a *apart) startSharing() {
	a.t.Helper()
	a.said = &spoken{}
	a.share = a.program(a.home, a.said, nil, "share", "--nats", a.urls, "--profile", "home", "--network", "sandbox")
	a.said.until(a.t, "settings page, from here:")
	double.Until(a.t, "share names the page", func() bool { return homeLink.MatchString(a.said.String()) })
	if a.page != nil {
		return
	}
	var err error
	if a.page, err = openLink(homeLink.FindString(a.said.String())); err != nil {
		a.t.Fatal(err)
	}
}

// killShare kills the user's program and server, to simulate a power failure.
func (a *apart) killShare() {
	_ = a.share.Process.Signal(syscall.SIGSTOP) // so that it does not see the server end
	killServer(a.t, a.home)
	_ = a.share.Process.Kill()
	_ = a.share.Wait()
}

// read returns a page as the user sees it.
func read(t *testing.T, p *person, path string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, p.origin+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	answer, err := p.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %s", path, answer.Status, err, text)
	}
	return string(text)
}

// follow opens a page through a link on another page.
func follow(t *testing.T, from *person, path string, body map[string]any) *person {
	t.Helper()
	var link struct{ URL string }
	if err := from.post(path, body, &link); err != nil {
		t.Fatal(err)
	}
	if from.session != "" {
		parts := strings.Split(link.URL, "/")
		return visit(t, from, pagetoken.Kind(parts[3]), parts[4])
	}
	page, err := openLink(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// visit opens another page in the same browser session.
func visit(t *testing.T, from *person, kind pagetoken.Kind, id string) *person {
	t.Helper()
	p := &person{origin: from.origin, kind: string(kind), id: id, session: from.session, http: from.http}
	var answer struct{ Token string }
	if err := p.post("/api/exchange", map[string]any{"kind": kind, "id": id, "session": p.session}, &answer); err != nil {
		t.Fatal(err)
	}
	p.token = answer.Token
	return p
}

var consoleAt = regexp.MustCompile(`href="/console/([^"]+)"`)

var (
	shownCode = regexp.MustCompile(`Its code here is <b>([A-Z0-9-]+)</b>`)
	shownKey  = regexp.MustCompile(`name="key" value="([0-9a-f]{64})"`)
	saidCode  = regexp.MustCompile(`The code is ([A-Z0-9-]+)\.`)
)

// pair pairs the other machine. The user accepts it on the settings page by its code.
func (a *apart) pair(scope string) {
	a.t.Helper()
	there := &spoken{}
	answer, typed := io.Pipe()
	pairing := a.program(a.away, there, answer, "connect", "--nats", a.urls, "--profile", "home", "--pair")
	code := saidCode.FindStringSubmatch(there.until(a.t, "Type yes"))[1]
	settings := visit(a.t, a.page, pagetoken.Settings, pagetoken.SettingsSubject)
	view := read(a.t, settings, "/api/settings/"+settings.id+"/view")
	if shown := shownCode.FindStringSubmatch(view); shown == nil || shown[1] != code {
		a.t.Fatalf("the settings page shows the code %q, the other machine %s", shown, code)
	}
	if _, err := io.WriteString(typed, "yes\n"); err != nil {
		a.t.Fatal(err)
	}
	_ = typed.Close()
	if err := pairing.Wait(); err != nil {
		a.t.Fatalf("pairing: %v: %s", err, there)
	}
	if err := settings.post("/api/settings/"+settings.id+"/admit",
		map[string]any{"key": shownKey.FindStringSubmatch(view)[1],
			"code": code, "name": "cloud", "scope": scope, "until": time.Now().Add(48 * time.Hour).UTC().Format(time.DateOnly)},
		nil); err != nil {
		a.t.Fatal(err)
	}
}

// recorded records everything that a client receives.
type recorded struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *recorded) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}
func (r *recorded) String() string { r.mu.Lock(); defer r.mu.Unlock(); return r.b.String() }

// connect starts an AI client on the other machine.
func (a *apart) connect() (*mcpClient, *recorded) {
	a.t.Helper()
	executable, err := os.Executable()
	if err != nil {
		a.t.Fatal(err)
	}
	c, err := spawnClient(executable, []string{"connect", "--nats", a.urls, "--profile", "home"},
		[]string{asProgram + "=1", "SAY_UR_INTENT_DATA_DIR=" + a.away}, &logged{t: a.t})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(c.stop)
	all := &recorded{}
	c.out = bufio.NewScanner(io.TeeReader(c.pipe.(io.Reader), all))
	c.out.Buffer(nil, 4<<20)
	// A client is told that the other machine is offline if opening the connection takes seconds.
	double.Until(a.t, "the other machine answers", func() bool {
		err := c.initialize("cloud client")
		if err != nil && !strings.Contains(err.Error(), "person_offline") {
			a.t.Fatal(err)
		}
		return err == nil
	})
	return c, all
}

// useAccount connects the wallet like the user.
func (a *apart) useAccount() {
	a.t.Helper()
	if err := chooseAccount(follow(a.t, a.page, "/api/home/connect", map[string]any{})); err != nil {
		a.t.Fatal(err)
	}
}

// at returns the node of the cluster to which the subscriber of a subject is connected.
func at(t *testing.T, nodes []*natskit.Node, subject string) (found *natskit.Node) {
	t.Helper()
	double.Until(t, "a node that "+subject+" is heard by", func() bool {
		for _, n := range nodes {
			if n.Listened(subject) {
				found = n
			}
		}
		return found != nil
	})
	return found
}

// TestJobThroughCluster runs the main job with the AI client on another machine. The nodes of the
// cluster to which the two ends are connected are killed during the job.
func TestJobThroughCluster(t *testing.T) {
	long.Skip(t, "it starts NATS servers and the program")
	nodes, urls := natskit.Cluster(t)
	a := &apart{t: t, urls: urls, home: shelter(t), away: t.TempDir()}
	a.startSharing()
	a.useAccount()
	a.pair("all_tools")
	c, sent := a.connect()
	var list struct{ Tools []struct{ Name string } }
	if err := c.request("tools/list", map[string]any{}, &list); err != nil || len(list.Tools) < 30 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	before := balance(t, c)

	gone := make(chan *natskit.Node, 1)
	kill := func(n *natskit.Node) { n.Kill(); gone <- n }
	go kill(at(t, nodes, "sayurintent.hello."))
	var prepared struct {
		ID  string `json:"reviewSessionId"`
		URL string `json:"reviewUrl"`
	}
	begun := time.Now()
	if err := c.call("action.prepare_sui_action_review", swapRequest("10"), &prepared); err != nil {
		t.Fatal(err)
	}
	if err := c.call("read.get_server_status", map[string]any{}, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	t.Logf("with the node of share killed, two calls took %s", time.Since(begun).Round(time.Millisecond))
	(<-gone).Start(t)

	waited := make(chan error, 1)
	var result struct {
		Status string `json:"status"`
		Result struct {
			Digest  string `json:"txDigest"`
			Receipt struct {
				Changes []struct {
					Coin   string `json:"coinType"`
					Amount string `json:"amountRaw"`
				} `json:"accountBalanceChanges"`
			} `json:"receipt"`
		} `json:"executionResult"`
	}
	go func() {
		waited <- c.call("session.wait_execution_result", map[string]any{"reviewSessionId": prepared.ID, "detail": "full"},
			&result)
	}()
	console := visit(t, a.page, pagetoken.Console, consoleAt.FindStringSubmatch(read(t, a.page, "/api/home/view"))[1])
	double.Until(t, "the console shows the review", func() bool {
		return strings.Contains(read(t, console, "/api/console/"+console.id+"/view"), prepared.ID)
	})
	cut := time.Now()
	kill(at(t, nodes, "sayurintent.down."))
	page := follow(t, console, "/api/console/"+console.id+"/open", map[string]any{"id": prepared.ID})
	played := &demo{process: process{Stdout: &logged{t: t}, Now: time.Now}}
	shown, err := played.read(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := played.sign(page, shown); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil || result.Status != "success" {
		t.Fatalf("%+v, %v", result, err)
	}
	t.Logf("with the node of connect killed, the result came %s later, the person's reading and signing among it",
		time.Since(cut).Round(time.Millisecond))
	(<-gone).Start(t)
	executedOnce(t, before, balance(t, c), func() (out []string) {
		for _, x := range result.Result.Receipt.Changes {
			if strings.HasSuffix(x.Coin, "::usdc::USDC") {
				out = append(out, x.Amount)
			}
		}
		return out
	}())
	if all := sent.String(); !strings.Contains(all, "/review/"+prepared.ID) ||
		regexp.MustCompile(`127\.0\.0\.1:\d+/[a-zA-Z0-9_/-]*#`).MatchString(all) {
		t.Error("the client was sent no link, or one with a code")
	}
	if _, err := os.Stat(filepath.Join(a.away, "sandbox")); err == nil {
		t.Error("the other machine has data of the person")
	}
	for end, subject := range map[string]string{"share": "sayurintent.hello.", "connect": "sayurintent.down."} {
		n := at(t, nodes, subject)
		n.Kill()
		begun := time.Now()
		if err := c.call("read.get_server_status", map[string]any{}, &struct{}{}); err != nil {
			t.Errorf("with the node of %s killed: %v", end, err)
		}
		t.Logf("a call right after the node of %s was killed took %s", end, time.Since(begun).Round(time.Millisecond))
		n.Start(t)
	}
}

// executedOnce checks that the account's USDC grew by the result of exactly one transaction.
func executedOnce(t *testing.T, before, after string, gave []string) {
	t.Helper()
	was, err1 := strconv.ParseInt(before, 10, 64)
	is, err2 := strconv.ParseInt(after, 10, 64)
	if before == "" {
		was, err1 = 0, nil
	}
	if err1 != nil || err2 != nil || len(gave) != 1 || gave[0] != strconv.FormatInt(is-was, 10) || is == was {
		t.Errorf("the account had %q and has %q; the transaction gave %q (%v, %v)", before, after, gave, err1, err2)
	}
}

// balance returns the active account's USDC as the tools report it.
func balance(t *testing.T, c *mcpClient) string {
	t.Helper()
	var summary struct {
		Balances []struct {
			Type    string `json:"coinType"`
			Balance string `json:"balance"`
		} `json:"balances"`
	}
	if err := c.call("read.summarize_wallet_assets", map[string]any{}, &summary); err != nil {
		t.Fatal(err)
	}
	for _, b := range summary.Balances {
		if strings.HasSuffix(b.Type, "::usdc::USDC") {
			return b.Balance
		}
	}
	return ""
}
