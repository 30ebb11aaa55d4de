package pagetoken

import (
	"slices"
	"time"
)

// link returns the link with a code, or nil.
func (p *Page) link(code Hash) *Link {
	for i := range p.Links {
		if p.Links[i].Code == code {
			return &p.Links[i]
		}
	}
	return nil
}

// pass returns the pass with an id, or nil.
func (p *Page) pass(id string) *Pass {
	for i := range p.Passes {
		if p.Passes[i].Pass.ID == id {
			return &p.Passes[i].Pass
		}
	}
	return nil
}

// wide reports whether a browser session has the page open.
func (p *Page) wide() bool {
	return slices.ContainsFunc(p.Passes, func(h Held) bool { return h.Pass.Wide() })
}

// unopened counts the links that can still be opened.
func (p *Page) unopened(now time.Time) int {
	n := 0
	for _, l := range p.Links {
		if l.UsedAt.IsZero() && l.live(now) {
			n++
		}
	}
	return n
}

// prune deletes links that are no longer needed. A used link is kept for the lifetime of its pass,
// so that a second opening is detected.
func (p *Page) prune(now time.Time) {
	_, life := p.Kind.lives()
	p.Links = slices.DeleteFunc(p.Links, func(l Link) bool {
		return !now.Before(l.ExpiresAt.Add(life))
	})
}

// drop deletes the pass of a token.
func (p *Page) drop(token Hash) {
	p.Passes = slices.DeleteFunc(p.Passes, func(h Held) bool { return h.Token == token })
}

// pruneEnded deletes passes that have expired or whose session has ended. sessions contains the
// live ones.
func (d *Desk) pruneEnded(p *Page, now time.Time, sessions map[string]bool) {
	for i := range p.Passes {
		p.Passes[i].Pass.LastUsedAt = d.lastUse(p.Passes[i].Token, p.Passes[i].Pass.LastUsedAt)
	}
	p.Passes = slices.DeleteFunc(p.Passes, func(h Held) bool {
		if h.Pass.live(now) && (!h.Pass.Wide() || sessions[h.Pass.Session]) {
			return false
		}
		d.forget(h.Token)
		return true
	})
}

// makeRoom deletes the least recently used passes until there is room for one. It keeps the Active
// one, because a flood of links could otherwise take the page from the user.
func (d *Desk) makeRoom(p *Page) {
	for len(p.Passes) >= MostPasses {
		oldest := -1
		for i, h := range p.Passes {
			if h.Pass.Access == Active {
				continue
			}
			if oldest < 0 || h.Pass.LastUsedAt.Before(p.Passes[oldest].Pass.LastUsedAt) {
				oldest = i
			}
		}
		if oldest < 0 {
			return
		}
		d.forget(p.Passes[oldest].Token)
		p.Passes = slices.Delete(p.Passes, oldest, oldest+1)
	}
}
