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

// wishes holds the addresses in AI clients' configurations that the user has not approved. A
// configuration may come with a project, so it must not choose services for other clients.
type wishes struct {
	mu   sync.Mutex
	list []*wished
}

// wished is a service address that a connected client asks for.
type wished struct {
	which settings.Which
	url   string
}

// of returns the address of a service that the most recent client asks for, or "".
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

// differing lists the services for which a client asks for a different address than the server
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

// conflict returns the first of a client's variables that contradicts an address chosen by the user
// or by the command that started the server, or "". On a sandbox, every address counts as chosen,
// because the node identifies the server.
func (s options) conflict(client map[string]string) string {
	for _, w := range s.differing(client) {
		if s.services[w].Source != settings.FromDefault || s.network.flag == "sandbox" {
			return w.Info().Variable
		}
	}
	return ""
}

// waits records the unapproved addresses in a client's configuration. If there are any, refuse
// rejects calls that may contact a service; otherwise it is nil. left must be called when the
// client disconnects.
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
		"The configuration of this AI client sets %s, which the user has not approved on this machine. Until then, no "+
			"node is queried for this client. Call settings.create_local_settings_session and give the user its link: "+
			"they can save the address there, or remove it from the configuration.",
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
