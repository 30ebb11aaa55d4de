//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	deepswap "github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// backend is a program of the user that requests actions.
type backend struct {
	origin, token string
	settings      *person
}

// backendWords are the script commands for another program of the user, which requests actions:
//
//	key NAME [CLIENT]     the user creates a token for the program, for a client with that name,
//	                      unless it has one
//	allow NAME            the user allows transactions that other programs built
//	backend NAME JSON     the program posts actions; prints the response. In the JSON, PAY, PAY_MORE,
//	                      CALL, SWAP, SWAP_LESS, SWAP_TOO_DEAR, KEYSIGN_1 and KEYSIGN_2 stand for
//	                      transactions that it built, and SENDER for the account
//	stream NAME ID        the program reads results up to that of the ID; prints them
//	waiting NAME          the user opens the pending review; prints its page
//	found NAME [ANSWER]   the user opens the bundle from the page of pending requests and answers
//	                      with ANSWER: approve (the default), or look for no answer; prints the page
func backendWords() map[string]func(a *actor, out io.Writer, args []string) error {
	return map[string]func(a *actor, out io.Writer, args []string) error{
		"key": (*actor).makeKey, "allow": (*actor).allow, "backend": (*actor).actions, "stream": (*actor).follow,
		"waiting": (*actor).waiting, "found": (*actor).found,
	}
}

func (a *actor) makeKey(_ io.Writer, args []string) error {
	var session struct {
		URL string `json:"settingsUrl"`
	}
	if err := a.client.call("settings.create_local_settings_session", map[string]any{}, &session); err != nil {
		return err
	}
	page, err := openLink(session.URL)
	if err != nil {
		return err
	}
	a.backend.origin, a.backend.settings = page.origin, page
	if a.backend.token != "" {
		return nil // of the process before
	}
	var made struct{ Token string }
	err = page.post("/api/settings/"+page.id+"/token",
		map[string]any{"name": "my backend", "client": append(args, "mine")[0], "scope": "agent-backend", "acts": true,
			"reads": false}, &made)
	a.backend.token = made.Token
	return err
}

func (a *actor) allow(out io.Writer, _ []string) error {
	p := a.backend.settings
	var asked struct{ Confirm, Says string }
	path := "/api/settings/" + p.id + "/material"
	if err := p.post(path, map[string]any{"allow": true}, &asked); err != nil {
		return err
	}
	fmt.Fprintln(out, asked.Says)
	return p.post(path, map[string]any{"allow": true, "confirm": asked.Confirm}, nil)
}

// foreignBytes returns transactions, by name, as another program would build them.
func foreignBytes() (map[string]string, error) {
	pay := func(n uint64) sui.Kind {
		return sui.Kind{Inputs: []sui.Input{sui.PureU64(n),
			sui.PureAddress(sui.MustAddress("0x5afe0000000000000000000000000000000000000000000000000000000000aa"))},
			Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
				sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)}}}
	}
	call := pay(1)
	call.Commands = append(call.Commands, sui.MoveCall{Package: sui.MustAddress("0xbad"), Module: "pool",
		Function: "drain"})
	pool, err := registry.FindPool("SUI_USDC")
	if err != nil {
		return nil, err
	}
	swap := func(n, least sui.Raw) (*plan.Builder, error) {
		b := plan.NewBuilder(sandbox.Account, plan.Selection{Coin: sui.SUI, Gas: true})
		return b, deepswap.Append(b, deepswap.Call{Package: registry.Packages()[0].ID, Pool: pool,
			SharedVersion: pool.InitialSharedVersion,
			Direction:     registry.BaseToQuote, MinOut: least}, plan.SUI.Of(n))
	}
	kinds := map[string]sui.Kind{"PAY_MORE": pay(2_500_000_000), "PAY": pay(1_500_000_000), "CALL": call}
	for name, of := range map[string][2]sui.Raw{"SWAP": {10_000_000_000, 12_700_000},
		"SWAP_LESS":     {5_000_000_000, 6_200_000},
		"SWAP_TOO_DEAR": {4_000_000_000, 99_000_000}} {
		b, err := swap(of[0], of[1])
		if err != nil {
			return nil, err
		}
		kinds[name] = b.Kind()
	}
	all := map[string]string{"KEYSIGN_1": keysign(1_000_000_000), "KEYSIGN_2": keysign(2_000_000_000)}
	for name, k := range kinds {
		raw, err := k.Encode()
		if err != nil {
			return nil, err
		}
		all[name] = "0x" + hex.EncodeToString(raw)
	}
	return all, nil
}

// keysign returns the payload of a payment of SUI, in the encoding of another wallet's
// transactions.
func keysign(mist uint64) string {
	put := func(b []byte, n protowire.Number, v string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	coin := put(put(put(nil, 1, "Sui"), 2, "SUI"), 3, sandbox.Account.String())
	payload := put(nil, 1, string(coin))
	payload = put(payload, 2, "0x5afe0000000000000000000000000000000000000000000000000000000000bb")
	payload = put(payload, 3, strconv.FormatUint(mist, 10))
	payload = put(payload, 11, "")
	return base64.StdEncoding.EncodeToString(payload)
}

func (a *actor) actions(out io.Writer, args []string) error {
	built, err := foreignBytes()
	if err != nil {
		return err
	}
	text := strings.Join(args, " ")
	for name, raw := range built {
		text = strings.ReplaceAll(text, `"`+name+`"`, `"`+raw+`"`)
	}
	text = strings.ReplaceAll(text, "SENDER", sandbox.Account.String())
	req, err := http.NewRequest(http.MethodPost, a.backend.origin+"/api/agent/actions", strings.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+a.backend.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	fmt.Fprintf(out, "%d %s\n", resp.StatusCode, said)
	for name, raw := range built {
		if strings.Contains(string(said), strings.TrimPrefix(raw, "0x")) {
			return fmt.Errorf("the answer repeats %s", name)
		}
	}
	return err
}

func (a *actor) follow(out io.Writer, args []string) error {
	req, err := http.NewRequest(http.MethodGet, a.backend.origin+"/api/agent/stream", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.backend.token)
	resp, err := (&http.Client{Timeout: unhurried}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Fprintln(out, lines.Text())
		if strings.Contains(lines.Text(), `"action_id":"`+args[0]+`"`) {
			return nil
		}
	}
	return errors.Join(lines.Err(), errors.New("the stream ended"))
}

func (a *actor) waiting(out io.Writer, _ []string) (err error) {
	found := false
	if !double.Await(func() bool { found, err = a.findWaiting(); return found || err != nil }) {
		return errors.New("no review waits")
	}
	if err != nil {
		return err
	}
	text, err := a.page.text("/api/review/" + a.id + "/view")
	fmt.Fprintln(out, text)
	return err
}

// findWaiting opens the review of a running task, if there is one.
func (a *actor) findWaiting() (bool, error) {
	var list struct {
		Tasks []struct {
			Review string `json:"reviewSessionId"`
			State  string `json:"state"`
		} `json:"tasks"`
	}
	if err := a.client.call("task.list", map[string]any{}, &list); err != nil {
		return false, err
	}
	for _, t := range list.Tasks {
		if t.State != "working" || t.Review == "" {
			continue
		}
		var status struct {
			URL string `json:"reviewUrl"`
		}
		if err := a.client.call("session.get_review_status", map[string]any{"reviewSessionId": t.Review},
			&status); err != nil {
			return false, err
		}
		page, err := openLink(status.URL)
		if err != nil {
			return false, err
		}
		a.id, a.page = t.Review, page
		a.shown, err = a.read(page)
		return true, err
	}
	return false, nil
}

// home opens the home page through the link that the command pages prints.
func (a *actor) home() (*person, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(executable, "pages", "--network", "sandbox")
	c.Env = append(os.Environ(), a.env...)
	said, err := c.Output()
	if err != nil {
		return nil, err
	}
	origin, code, ok := strings.Cut(strings.TrimSpace(string(said[bytes.LastIndex(said, []byte("http://")):])), "/#")
	if !ok {
		return nil, fmt.Errorf("no link in %q", said)
	}
	return enter(&person{origin: origin, kind: string(pagetoken.Home), id: pagetoken.HomeSubject}, code, "/api/home")
}

// enter opens a page with the code of its link. If another tab is active, it takes over from that
// tab.
func enter(p *person, code, path string) (*person, error) {
	p.http = &http.Client{Timeout: 20 * time.Second}
	var answer struct{ Token, Session, Access string }
	err := p.post("/api/exchange", map[string]any{"kind": p.kind, "id": p.id, "code": code, "session": p.session}, &answer)
	p.token, p.session = answer.Token, cmp.Or(p.session, answer.Session)
	if err == nil && answer.Access != string(pagetoken.Active) {
		err = p.post(path+"/continue", map[string]any{}, nil)
	}
	return p, err
}

// text returns the body of a page in this person's browser session.
func (p *person) text(path string) (string, error) {
	req, err := http.NewRequest(http.MethodGet, p.origin+path, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := p.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %s", path, resp.Status, text)
	}
	return string(text), err
}

var bundleCardLine = regexp.MustCompile(`href="/bundle/([^"]+)"`)

func (a *actor) found(out io.Writer, args []string) error {
	home, err := a.home()
	if err != nil {
		return err
	}
	listed, err := home.text("/api/home/view")
	if err != nil {
		return err
	}
	card := bundleCardLine.FindStringSubmatch(listed)
	if card == nil {
		return errors.New("no bundle waits")
	}
	page, err := enter(&person{origin: home.origin, session: home.session, kind: string(pagetoken.Bundle), id: card[1]},
		"",
		"/api/bundle/"+card[1])
	if err != nil {
		return err
	}
	// A step that was opened before a restart is not opened again.
	a.asked = bundled{ID: card[1], page: page, opened: a.asked.opened}
	view, err := page.text("/api/bundle/" + card[1] + "/view")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, view)
	word := append(args, "approve")[0]
	if word == "look" {
		return nil
	}
	return a.asked.answer(word)
}
