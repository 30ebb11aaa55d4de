package main

import (
	"slices"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// wishes are addresses in the configurations of AI clients that the user has not approved. A
// configuration may be a project's file, so it does not choose services for everyone else.
type wishes struct {
	mu   sync.Mutex
	list []*wished
}

// wished is one address, for as long as its client is connected.
type wished struct {
	which settings.Which
	url   string
}

// of returns the address of a service that the latest client names, "" for none.
func (w *wishes) of(which settings.Which) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range slices.Backward(w.list) {
		if one.which == which {
			return one.url
		}
	}
	return ""
}

func (w *wishes) add(one *wished) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, one)
}

func (w *wishes) remove(one *wished) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = slices.DeleteFunc(w.list, func(other *wished) bool { return other == one })
}

// differing lists the services for which a client names another address than this server
// uses.
func (s options) differing(client map[string]string) (list []settings.Which) {
	for w := range settings.Count {
		url := client[w.Info().Variable]
		if url != "" && !settings.Same(url, s.services[w].URL) {
			list = append(list, w)
		}
	}
	return list
}

// conflict returns the variable of the first address of a client that differs from the choice of
// the user or of whoever started the server, or "". The address of a sandbox's chain is part of the
// server's identity.
func (s options) conflict(client map[string]string) string {
	for _, w := range s.differing(client) {
		if s.services[w].Source != settings.FromDefault || s.network.flag == "sandbox" {
			return w.Info().Variable
		}
	}
	return ""
}

// waits returns what refuses calls of a client whose configuration has addresses that the user has
// not approved, or nil, and what to do when the client has left.
func (a *app) waits(h door.Hello) (refuse func(tool.Tool) error, left func()) {
	var names []string
	var undo []func()
	for _, w := range a.options.differing(h.Server) {
		one := &wished{w, h.Server[w.Info().Variable]}
		a.wishes.add(one)
		undo = append(undo, func() { a.wishes.remove(one) })
		names = append(names, w.Info().Variable)
	}
	left = func() {
		for _, f := range undo {
			f()
		}
	}
	if len(names) == 0 {
		return nil, left
	}
	why := fault.New(fault.Blocked,
		"The configuration of this AI client sets %s, and you have not said yes to that on this machine. "+
			"Until then nothing is asked of a node for this client. Call settings.create_local_settings_session, "+
			"and give the person its link: they save the address there, or take it out of the configuration.",
		strings.Join(names, " and ")).With("settings", "address_unconfirmed")
	return func(t tool.Tool) error {
		switch t.Effect {
		case tool.Static, tool.ReadsLocal, tool.KeepsTime, tool.ClearsLocal:
			return nil
		}
		if strings.HasPrefix(t.Name, "settings.") {
			return nil
		}
		return why
	}, left
}
