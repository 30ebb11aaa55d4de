package settings

import (
	"context"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Remotes stores the machines that asked for access, and the user's decisions.
type Remotes interface {
	Remotes(ctx context.Context) ([]remotes.Remote, error)
	AdmitRemote(ctx context.Context, a remotes.Admission, may func(context.Context) error) error
	RevokeRemote(ctx context.Context, k remotes.Key, may func(context.Context) error) (bool, error)
}

// remoteLine is one machine on the settings page.
type remoteLine struct {
	Key, Profile, Code, Name, May, Until, Asked, Seen string
	Live                                              bool // it has access, which can be revoked
}

// remotesView is the part of the settings page about other machines. It is shown once a machine has
// asked for access.
type remotesView struct {
	Waiting, Known []remoteLine
	First, Last    string // first and last day that can be chosen as the end of access
}

func (p *page) remotes(ctx context.Context) (v remotesView, err error) {
	list, err := p.Remotes.Remotes(ctx)
	if err != nil {
		return v, err
	}
	now := p.Now()
	v.First, v.Last = day(now.Add(24*time.Hour)), day(now.Add(remotes.LongestEnd-24*time.Hour))
	for _, r := range list {
		line := remoteLine{Key: r.Key.String(), Profile: r.Profile, Code: r.Code, Name: r.Name, Asked: words.At(r.AskedAt)}
		if !r.SeenAt.IsZero() {
			line.Seen = words.At(r.SeenAt)
		}
		state := r.State(now)
		line.Live = state == remotes.Admitted
		if r.Asks(now) {
			v.Waiting = append(v.Waiting, line)
		}
		if r.Scope != "" { // not waiting and not dismissed
			line.May = mayDo(r.Scope)
			line.Until = map[remotes.State]string{remotes.Admitted: "until " + day(r.EndsAt),
				remotes.Ended: "ended " + day(r.EndsAt), remotes.Revoked: "revoked " + day(r.RevokedAt)}[state]
			v.Known = append(v.Known, line)
		}
	}
	return v, nil
}

// mayDo describes what a scope permits.
func mayDo(s remotes.Scope) string {
	if s == remotes.ReadOnly {
		return "may read"
	}
	return "may read, and prepare reviews that you decide here"
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

type remoteIn struct {
	Key   string        `json:"key"`
	Code  string        `json:"code"`
	Name  string        `json:"name"`
	Scope remotes.Scope `json:"scope"`
	Until string        `json:"until"` // last day of access, in UTC
}

// admit grants access to a machine if the user typed its code.
func (p *page) admit(c *web.Call, in remoteIn) error {
	key, err := remotes.ParseKey(in.Key)
	if err != nil {
		return err
	}
	until, err := time.Parse(time.DateOnly, strings.TrimSpace(in.Until))
	if err != nil {
		return fault.New(fault.InputInvalid, "Choose the day on which the access ends.")
	}
	err = p.Remotes.AdmitRemote(c.Ctx(), remotes.Admission{Key: key, Code: in.Code, Name: in.Name, Scope: in.Scope,
		EndsAt: until.Add(24 * time.Hour)}, c.Right)
	if err != nil {
		return err
	}
	return c.Done("The machine was admitted. It can connect now.")
}

type remoteKey struct {
	Key string `json:"key"`
}

// dismiss revokes a machine's access, or rejects its request.
func (p *page) dismiss(c *web.Call, in remoteKey) error {
	key, err := remotes.ParseKey(in.Key)
	if err != nil {
		return err
	}
	gone, err := p.Remotes.RevokeRemote(c.Ctx(), key, c.Right)
	if err != nil {
		return err
	}
	says := "The machine has no access any more. What it had open ends within a second."
	if !gone {
		says = "It no longer had access."
	}
	return c.Done(says)
}
