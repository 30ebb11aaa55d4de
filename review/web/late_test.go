package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// slow is a request whose head was checked and whose body is incomplete.
type slow struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	rest string
}

// begin sends the head of a request and half of its body. The server asks for the body after all
// checks that precede it.
func (r *rig) begin(path, token string, body any) *slow {
	r.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	conn, err := net.Dial("tcp", r.host)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", path, r.host, token, len(b))
	if err != nil {
		r.t.Fatal(err)
	}
	s := &slow{t: r.t, conn: conn, in: bufio.NewReader(conn), rest: string(b)}
	resp, err := http.ReadResponse(s.in, nil)
	if err != nil || resp.StatusCode != http.StatusContinue {
		r.t.Fatalf("the server does not ask for the body: %v %+v", err, resp)
	}
	s.send(len(b) / 2)
	return s
}

func (s *slow) send(n int) {
	s.t.Helper()
	if _, err := io.WriteString(s.conn, s.rest[:n]); err != nil {
		s.t.Fatal(err)
	}
	s.rest = s.rest[n:]
}

// finish sends the rest of the body and returns the response.
func (s *slow) finish() answer {
	s.t.Helper()
	s.send(len(s.rest))
	resp, err := http.ReadResponse(s.in, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{s.t, resp.StatusCode, resp.Header, string(b)}
}

// TestRightEndsWhileTheBodyArrives revokes the requirements of a handoff while its body arrives.
// Nothing is released.
func TestRightEndsWhileTheBodyArrives(t *testing.T) {
	for _, c := range []struct {
		name   string
		take   func(*opened)
		status int
		kind   string
	}{
		{"nothing is taken", func(*opened) {}, http.StatusOK, ""},
		{"another tab continues", func(o *opened) {
			second := o.rig.token(pagetoken.Review, string(o.id))
			if a := o.do("POST", o.path+"/continue", second, map[string]int{"revision": 1}); a.status != http.StatusOK {
				o.t.Fatal(a.body)
			}
		}, http.StatusConflict, "invalid_session_transition"},
		{"the token ends", func(o *opened) { o.house.Clock.Advance(pagetoken.PassIdle + time.Second) },
			http.StatusUnauthorized, "session_mismatch"},
		{"the account is cleared", func(o *opened) {
			if _, ok, err := o.accounts.Clear(o.t.Context()); err != nil || !ok {
				o.t.Fatal(ok, err)
			}
		}, http.StatusConflict, "handoff_unavailable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openReview(t)
			o.compute()
			s := o.session(o.id)
			body := o.begin(o.path+"/handoff", o.token, map[string]any{"revision": s.Revision, "commitment": s.Commitment})
			c.take(o)
			a := body.finish()
			if a.status != c.status || a.status != http.StatusOK && a.text("error.kind") != c.kind {
				t.Errorf("%d %s, want %d %s", a.status, a.body, c.status, c.kind)
			}
			row, err := o.db.Review(t.Context(), o.id)
			if released := len(row.Releases) > 0; err != nil || released != (c.status == http.StatusOK) {
				t.Errorf("%v, %d releases", err, len(row.Releases))
			}
		})
	}
}

// TestEveryBodyIsJudgedWhenItIsHere lets another tab take over while the body of a harmless request
// arrives. It is rejected all the same.
func TestEveryBodyIsJudgedWhenItIsHere(t *testing.T) {
	o := openReview(t)
	o.compute()
	body := o.begin(o.path+"/outcome", o.token, map[string]string{"outcome": "declined"})
	second := o.rig.token(pagetoken.Review, string(o.id))
	if a := o.do("POST", o.path+"/continue", second, map[string]int{"revision": 1}); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	if a := body.finish(); a.status != http.StatusConflict || a.text("error.details.access") != "read_only" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if s := o.session(o.id); s.Status != record.Ready {
		t.Errorf("a page that looks on made it %s", s.Status)
	}
}

// TestRightEndsBeforeTheRelease lets another tab take over after a handoff was authorized and
// before it is recorded.
func TestRightEndsBeforeTheRelease(t *testing.T) {
	busy := &stoppedStore{}
	o := newJob(t, func(c *review.Config) { busy.Store, c.Store = c.Store, busy }).openReview()
	o.compute()
	s := o.session(o.id)
	second := o.rig.token(pagetoken.Review, string(o.id))
	busy.before = func() {
		if a := o.do("POST", o.path+"/continue", second, map[string]int{"revision": 1}); a.status != http.StatusOK {
			t.Error(a.body)
		}
	}
	o.refused(o.post("handoff", map[string]any{"revision": s.Revision, "commitment": s.Commitment}), http.StatusConflict,
		"invalid_session_transition")
	if s := o.session(o.id); len(s.Releases) != 0 {
		t.Error("a page that looks on got bytes")
	}
}

// TestSettingsFreezeWhileTheBodyArrives locks the settings page while a body that loosens a limit
// arrives. The limit does not change.
func TestSettingsFreezeWhileTheBodyArrives(t *testing.T) {
	r := newRig(t, nil)
	_, code, _ := strings.Cut(r.link(pagetoken.Settings, settingsID), "#")
	exchange := func() answer {
		return r.do("POST", "/api/exchange", "", map[string]string{"kind": "settings", "id": settingsID, "code": code})
	}
	token := exchange().text("token")
	if a := r.settingsCall(token, "limits", limits(perTransaction("1"))); a.text("done") != "true" {
		t.Fatal(a.body)
	}
	looser := limits(perTransaction("900"))
	looser["confirm"] = r.settingsCall(token, "limits", looser).text("confirm")
	body := r.begin("/api/settings/"+settingsID+"/limits", token, looser)
	if a := exchange(); a.status != http.StatusConflict { // opened twice, so the page is locked
		t.Fatal(a.status)
	}
	if a := body.finish(); a.status != http.StatusUnauthorized {
		t.Errorf("%d %s", a.status, a.body)
	}
	if most := r.stored().Allowance.PerTransaction[0].Most; most != 1_000_000_000 {
		t.Errorf("a frozen page raised the limit to %d", most)
	}
}

// busySettings runs a function right before the transaction of a change.
type busySettings struct {
	settings.Store
	before func()
}

func (s busySettings) ChangeSettings(ctx context.Context, edit func(*settings.Stored) error) error {
	s.before()
	return s.Store.ChangeSettings(ctx, edit)
}

// busyBackup runs a function right before all data is replaced or erased.
type busyBackup struct {
	backup.Store
	before func()
}

func (s busyBackup) Replace(ctx context.Context, transition func(backup.Data) (backup.Data, error)) error {
	s.before()
	return s.Store.Replace(ctx, transition)
}

func (s busyBackup) Erase(ctx context.Context, page string, judge func([]record.ID) error) error {
	s.before()
	return s.Store.Erase(ctx, page, judge)
}

// TestSettingRestsOnThePresent locks the settings page after a request was authorized and before
// anything is stored. Every request is rejected.
func TestSettingRestsOnThePresent(t *testing.T) {
	text := policy.AllowanceText{PerTransaction: []policy.LimitText{{Coin: sui.SUI, Most: "1"}}}
	for name, change := range map[string]func(context.Context, *settings.Service, *backup.Service, settings.Right) error{
		"limits": func(ctx context.Context, s *settings.Service, _ *backup.Service, right settings.Right) error {
			_, err := s.SetAllowance(ctx, text, "", right)
			return err
		},
		"endpoint": func(ctx context.Context, s *settings.Service, _ *backup.Service, right settings.Right) error {
			out, err := s.SetEndpoint(ctx, settings.GRPC, "https://here.example", "", right)
			if err == nil {
				_, err = s.SetEndpoint(ctx, settings.GRPC, "https://here.example", out.Confirm, right)
			}
			return err
		},
		"import": func(ctx context.Context, _ *settings.Service, s *backup.Service, right settings.Right) error {
			file, err := s.Export(ctx)
			var p backup.Preview
			if err == nil {
				p, err = s.Stage(ctx, settingsID, bytes.NewReader(file))
			}
			if err == nil {
				_, err = s.Import(ctx, settingsID, backup.Choice{ID: p.ID, Limits: true}, right)
			}
			return err
		},
		"reset": func(ctx context.Context, _ *settings.Service, s *backup.Service, right settings.Right) error {
			_, err := s.Reset(ctx, settingsID, backup.ResetWords, right)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			_, code, _ := strings.Cut(r.link(pagetoken.Settings, settingsID), "#")
			tab, err := r.desk.Exchange(t.Context(), pagetoken.Settings, settingsID, code, "")
			if err != nil {
				t.Fatal(err)
			}
			token := tab.Token
			frozen := 0
			c := r.settingsConfig()
			freeze := func() {
				frozen++
				if _, err := r.desk.Exchange(t.Context(), pagetoken.Settings, settingsID, code, ""); err == nil {
					t.Error("the link works twice")
				}
			}
			c.Store = busySettings{r.db, freeze}
			service := settings.New(c)
			before := r.stored()
			if err := change(t.Context(), service, r.backupOf(busyBackup{r.db, freeze}, service), r.desk.Right(token.Reveal(),
				true)); !fault.Is(err, fault.SessionMismatch) {
				t.Errorf("%v", err)
			}
			if after := r.stored(); frozen != 1 || after.Addresses != before.Addresses ||
				len(after.Allowance.PerTransaction) != 0 {
				t.Errorf("frozen %d times, stored %+v", frozen, after)
			}
		})
	}
	t.Run("the account in use", func(t *testing.T) {
		o := openReview(t)
		looker := o.rig.token(pagetoken.Review, string(o.id))
		_, ok, err := o.accounts.ClearFor(t.Context(), o.desk.Right(looker, true))
		if !fault.Is(err, fault.InvalidSessionTransition) || ok {
			t.Errorf("%v %v", ok, err)
		}
		if _, ok, err := o.accounts.Active(t.Context()); err != nil || !ok {
			t.Errorf("%v %v", ok, err)
		}
	})
}

// TestBytesTooOldAreNotSent stops the program for 63 seconds between the commit of a release and
// its response. The response contains no bytes, and the page says why.
func TestBytesTooOldAreNotSent(t *testing.T) {
	stopped := &stoppedStore{}
	j := newJob(t, func(c *review.Config) { stopped.Store, c.Store = c.Store, stopped })
	o := j.openReview()
	o.compute()
	s := o.session(o.id)
	stopped.after = func() { j.house.Clock.Advance(63 * time.Second) }
	a := o.post("handoff", map[string]any{"revision": s.Revision, "commitment": s.Commitment})
	o.refused(a, http.StatusConflict, "handoff_unavailable")
	if strings.Contains(a.body, "bytes\"") || strings.Contains(a.body, "transactionJson") {
		t.Errorf("bytes went out: %s", a.body)
	}
	view := o.do("GET", o.path+"/view", o.token, nil).body
	for _, words := range []string{"became too old before it reached this page", `data-action="refresh"`} {
		if !strings.Contains(view, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if strings.Contains(view, "still with your wallet") {
		t.Error("the page says that the wallet has what it never got")
	}
	if s := o.session(o.id); s.Status != record.RefreshRequired || len(s.Releases) != 1 {
		t.Errorf("%s, %d releases", s.Status, len(s.Releases))
	}
}

// stoppedStore runs functions right before a release, or right after it is recorded.
type stoppedStore struct {
	record.Store
	before, after func()
}

func (s *stoppedStore) Release(ctx context.Context, id record.ID, law func(*record.Row) (record.Release,
	error)) (record.Row, error) {
	if s.before != nil {
		s.before()
	}
	row, err := s.Store.Release(ctx, id, law)
	if err == nil && s.after != nil {
		s.after()
	}
	return row, err
}
