//go:build agents && unix

package agents_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// patience bounds each wait of the user.
const patience = 60 * time.Second

// person is the one who opens a link: it holds what a browser tab holds and speaks
// the pages' own API.
type person struct{ origin, kind, id, token string }

// openLink exchanges the code in a link for the token of this tab.
func openLink(link string) (*person, error) {
	u, err := url.Parse(link)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) != 2 || u.Fragment == "" {
		return nil, fmt.Errorf("%q is no link to a page", link)
	}
	p := &person{origin: u.Scheme + "://" + u.Host, kind: parts[0], id: parts[1]}
	var answer struct{ Token, Access string }
	err = p.do("/api/exchange", map[string]any{"kind": p.kind, "id": p.id, "code": u.Fragment}, &answer)
	if err == nil && answer.Access != "active" {
		err = fmt.Errorf("the page was opened as %s", answer.Access)
	}
	p.token = answer.Token
	return p, err
}

// do posts a body, or reads if there is none.
func (p *person) do(path string, body map[string]any, into any) error {
	method, payload := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return err
		}
		method = http.MethodPost
	}
	req, err := http.NewRequest(method, p.origin+path, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	client := http.Client{Timeout: patience}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	if into == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}

// connects chooses the sandbox's account on the connect page.
func connects(link string) error {
	p, err := openLink(link)
	if err != nil {
		return err
	}
	path, wallet := "/api/wallet/"+p.id+"/state", map[string]any{
		"status": "connecting", "walletName": "Sandbox test wallet", "walletId": "say-ur-intent-sandbox",
	}
	if err := p.do(path, wallet, nil); err != nil {
		return err
	}
	wallet["status"], wallet["account"], wallet["chain"] = "connected", sandbox.Account.String(), "sui:localnet"
	return p.do(path, wallet, nil)
}

// signs reads the review, and signs the bytes that it was shown.
func signs(link string) error {
	p, err := openLink(link)
	if err != nil {
		return err
	}
	path := "/api/review/" + p.id
	var shown struct {
		Revision   int64
		Status     string
		Commitment string
		Computing  bool
	}
	if err := p.do(path+"/state", nil, &shown); err != nil {
		return err
	}
	if err := p.do(path+"/compute", map[string]any{"revision": shown.Revision}, nil); err != nil {
		return err
	}
	ready := func() bool { return shown.Status == "ready_for_wallet_review" }
	if !double.Await(func() bool { err = p.do(path+"/state", nil, &shown); return err != nil || ready() }) {
		return fmt.Errorf("the review stays %s", shown.Status)
	}
	if err != nil {
		return err
	}
	var handed struct {
		TransactionJSON string
		Bytes           []byte
		ReleaseNonce    string
	}
	wish := map[string]any{"revision": shown.Revision, "commitment": shown.Commitment}
	if err := p.do(path+"/handoff", wish, &handed); err != nil {
		return err
	}
	if sui.Commitment(sui.TransactionDigest(handed.Bytes)) != shown.Commitment {
		return errors.New("the bytes are not the ones that were shown")
	}
	var signed struct{ Bytes, Signature []byte }
	if err := p.do("/sandbox/wallet/sign", map[string]any{"transaction": handed.TransactionJSON}, &signed); err != nil {
		return err
	}
	return p.do(path+"/signed", map[string]any{
		"releaseNonce": handed.ReleaseNonce, "bytes": base64.StdEncoding.EncodeToString(signed.Bytes),
		"signature": base64.StdEncoding.EncodeToString(signed.Signature),
	}, nil)
}
