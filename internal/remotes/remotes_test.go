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
		"admitted already":   func(_ *Admission, r *Remote) { r.Scope, r.EndsAt = ReadOnly, noon.Add(time.Minute) },
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
