package lies_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
)

// Maximum number of simultaneous lies: about untested fields, and about fields that earlier lies showed
// to have no effect.
const (
	untried = 4
	unread  = 16
)

// trial is an action that is tested with a series of lies.
type trial struct {
	action
	session record.Session
	honest  *reviewed
	noise   map[string]bool
	fresh   bool            // clients forget everything from earlier lies
	unread  map[string]bool // fields whose lies changed nothing
}

// lieTo tests one action with every lie about its fields that are still untested, or only with the
// given lies. Most lies do not change a review, so they are tried in groups. A group that changes the
// review is divided until single lies remain.
func (w *teller) lieTo(a action, only map[string][]lieCase) {
	w.t.Helper()
	fields, answers, session, honest, noise := w.fields(a)
	t := &trial{action: a, session: session, honest: honest, noise: noise, fresh: true, unread: map[string]bool{}}
	if only != nil {
		for _, c := range only[a.name] {
			w.try(t, c)
		}
		return
	}
	var first, later []lieCase
	for _, f := range fields {
		begun := false
		for _, value := range lies.WordsFor(f.Kind) {
			c := lieCase{field: f.Field, value: value, kind: f.Kind}
			switch {
			case w.skip() || w.idle(answers, c):
			case begun:
				later = append(later, c)
			default:
				begun = true
				first = append(first, c)
			}
		}
	}
	for _, group := range groups(first, untried) {
		w.tryAll(t, group)
	}
	var together []lieCase
	for _, c := range later {
		if t.unread[c.field] {
			together = append(together, c)
		} else {
			w.try(t, c)
		}
	}
	for _, group := range groups(together, unread) {
		w.tryAll(t, group)
	}
}

// tryAll tries lies together, and separately if they change the review.
func (w *teller) tryAll(t *trial, list []lieCase) {
	if half := len(list) / 2; !w.try(t, list...) && half > 0 {
		w.tryAll(t, list[:half])
		w.tryAll(t, list[half:])
	}
}

// try computes the review while the node tells these lies, and judges it. It reports whether the review
// equals the honest one. A different review is judged only after a single lie, because several lies can
// hide each other.
func (w *teller) try(t *trial, list ...lieCase) (same bool) {
	told := make([]lies.Lie, len(list))
	keeps := false
	for i, c := range list {
		told[i] = lies.Lie{Field: c.field, Value: c.value}
		keeps = keeps || cached.MatchString(c.field)
	}
	if keeps || !t.fresh {
		w.anew()
		t.fresh = !keeps
	}
	w.runs++
	w.liar.Tell(told...)
	s := &t.session
	if t.anew {
		s = nil
	}
	out, err := w.run(t.action, s)
	met := w.liar.Changed()
	w.liar.Tell()
	if err == nil && !t.anew {
		t.session = out
	}
	if met == 0 {
		return true
	}
	if err != nil {
		if len(list) == 1 {
			w.cases++
			if !t.anew || fault.As(err).Code == fault.InternalError {
				w.wrong(t.name, fmt.Sprintf("%s: %v", list[0], err))
			}
		}
		return false
	}
	got := w.look(out, w.epoch, w.did)
	same = got.status == record.Ready && len(differing(t.honest.leaves, got.leaves, t.noise)) == 0
	if !same && len(list) > 1 {
		return false
	}
	w.cases += len(list)
	for _, c := range list {
		if c.second = w.mode != alone; same {
			t.unread[c.field] = true
		} else if got.status == record.Ready {
			w.again[t.name] = append(w.again[t.name], c)
		}
		for _, wrong := range judgeReview(c, t.honest, got, t.noise) {
			w.wrong(t.name, fmt.Sprintf("%s: %s", c, wrong))
		}
	}
	return same
}

// groups combines lies that do not affect each other, at most most per group.
func groups(list []lieCase, most int) (out [][]lieCase) {
	for _, c := range list {
		i := slices.IndexFunc(out, func(group []lieCase) bool {
			return len(group) < most && !slices.ContainsFunc(group, c.touches)
		})
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], c)
	}
	return out
}

// touches reports whether one lie could hide the other: lists and messages contain fields, swaps
// involve neighbors, and windows cover bytes.
func (c lieCase) touches(o lieCase) bool {
	whole := func(c lieCase) bool {
		return c.kind == lies.Message || c.kind == lies.List || c.kind == lies.Null || c.value == lies.Swapped
	}
	if whole(c) || whole(o) {
		return true
	}
	method, _, path := lies.Split(c.field)
	as, _, other := lies.Split(o.field)
	if strings.Contains(path+other, "[]") && lies.Plain(c.field) == lies.Plain(o.field) {
		return true // elements without a label
	}
	return method == as && (path == other || strings.HasPrefix(path, other+"@") || strings.HasPrefix(other, path+"@"))
}
