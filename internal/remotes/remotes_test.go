package remotes

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestState(t *testing.T) {
	admitted := Remote{Scope: ReadOnly, AskedAt: noon, EndsAt: noon.Add(time.Hour)}
	revoked := admitted
	revoked.RevokedAt = noon
	for _, c := range []struct {
		name string
		r    Remote
		at   time.Time
		want State
	}{
		{"asked", Remote{AskedAt: noon}, noon, Waiting},
		{"admitted", admitted, noon, Admitted},
		{"at its end", admitted, noon.Add(time.Hour), Ended},
		{"revoked", revoked, noon, Revoked},
		{"revoked and over", revoked, noon.Add(time.Hour), Revoked},
	} {
		if got := c.r.State(c.at); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAdmit(t *testing.T) {
	r := Remote{Code: "ABC-DEF", AskedAt: noon}
	good := Admission{Code: "abc def", Name: " cloud ", Scope: AllTools, EndsAt: noon.Add(time.Hour)}
	got, err := r.Admit(good, noon)
	if err != nil || got.Name != "cloud" || got.State(noon) != Admitted {
		t.Fatalf("%+v, %v", got, err)
	}
	for name, change := range map[string]func(*Admission, *Remote){
		"another code":       func(a *Admission, _ *Remote) { a.Code = "ABC-DEG" },
		"no code":            func(a *Admission, _ *Remote) { a.Code = "" },
		"no name":            func(a *Admission, _ *Remote) { a.Name = " " },
		"a long name":        func(a *Admission, _ *Remote) { a.Name = strings.Repeat("x", MostName+1) },
		"no scope":           func(a *Admission, _ *Remote) { a.Scope = "" },
		"an end in the past": func(a *Admission, _ *Remote) { a.EndsAt = noon },
		"an end far away":    func(a *Admission, _ *Remote) { a.EndsAt = noon.Add(2 * LongestEnd) },
		"asked long ago":     func(_ *Admission, r *Remote) { r.AskedAt = noon.Add(-WaitFor) },
		"revoked before":     func(_ *Admission, r *Remote) { r.RevokedAt = noon },
		"admitted already": func(_ *Admission, r *Remote) {
			r.Code, r.Scope, r.EndsAt = "", ReadOnly,
				noon.Add(time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, from := good, r
			change(&a, &from)
			if got, err := from.Admit(a, noon); err == nil {
				t.Errorf("it was admitted: %+v", got)
			}
		})
	}
}

// A machine that is admitted and asks again keeps its access, and can be admitted again.
func TestAsk(t *testing.T) {
	admission := Admission{Code: "ABC-DEF", Name: "cloud", Scope: AllTools, EndsAt: noon.Add(time.Hour)}
	admitted, err := Remote{Key: Key{1}, Code: "ABC-DEF", AskedAt: noon}.Admit(admission, noon)
	if err != nil || admitted.Asks(noon) {
		t.Fatalf("%+v, %v", admitted, err)
	}
	later := noon.Add(30 * time.Minute)
	again := admitted.Ask(Remote{Key: Key{1}, Code: "GHJ-KLM", AskedAt: later}, later)
	if again.State(later) != Admitted || !again.Asks(later) || again.EndsAt != admitted.EndsAt {
		t.Errorf("%+v", again)
	}
	if again.Asks(later.Add(WaitFor)) || again.State(later.Add(WaitFor)) != Admitted {
		t.Error("the request does not lapse, or takes the access with it")
	}
	admission.Code, admission.Scope = "ghjklm", ReadOnly
	if got, err := again.Admit(admission, later); err != nil || got.Scope != ReadOnly {
		t.Errorf("%+v, %v", got, err)
	}
	revoked := admitted
	revoked.RevokedAt = noon
	if got := revoked.Ask(Remote{Key: Key{1}, Code: "GHJ-KLM", AskedAt: later}, later); got.State(later) != Waiting {
		t.Errorf("%+v", got)
	}
}
