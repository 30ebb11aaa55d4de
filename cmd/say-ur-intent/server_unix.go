//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// runServer is the one server of a data directory. It ends by itself when nobody has
// needed it for a while.
func runServer(p process, args []string) int {
	starter := door.StartedBy()
	s, err := parseOptions(p, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(p.Stdout)
		return exitOK
	}
	if err == nil && s.dataDir == "" {
		err = errors.New("a sandbox without a data directory has no server that clients share: set " + dataDirVariable)
	}
	if err == nil {
		if starter != nil {
			p.Stderr = &logFile{path: filepath.Join(s.dataDir, "server.log")}
		}
		err = serveAll(p, s, starter)
	}
	if err != nil {
		starter.Ready(err)
		fmt.Fprintf(p.Stderr, "say-ur-intent serve: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// serveAll serves clients until nobody needs the server, or a signal ends it.
func serveAll(p process, s options, starter *door.Starter) error {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(256 << 20)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s.only = true
	a, err := newApp(ctx, p, s)
	if err != nil {
		return err
	}
	defer a.close()
	if a.started, err = newIdentity(); err != nil {
		return err
	}
	a.started.since = a.now()
	ctx, a.end = context.WithCancel(ctx)
	defer a.end()
	d := &door.Server{Now: a.now, Log: a.log, Admit: a.admit, Serve: a.serveClient}
	if err := d.Listen(s.dataDir); err != nil {
		return err
	}
	starter.Ready(nil)
	a.sessions = d.Sessions
	go a.endIdle(ctx, d, s.idle)
	return d.Run(ctx)
}

// endIdle closes a server that nobody has needed for the idle time.
func (a *app) endIdle(ctx context.Context, d *door.Server, idle time.Duration) {
	defer d.Close()
	check := time.NewTicker(min(idle, time.Second))
	defer check.Stop()
	var alone, owing time.Time
	for {
		sessions, changed := d.Sessions()
		now := a.now()
		switch {
		case sessions > 0 || a.runner.Running() > 0 || a.sharing():
			alone, owing = time.Time{}, time.Time{}
		case alone.IsZero():
			alone = now
		case now.Sub(alone) < idle && !a.started.replaced():
		case !a.busy(ctx), !owing.IsZero() && now.Sub(owing) >= stayMost:
			return
		case owing.IsZero():
			owing = now
			a.log.Info("no client is connected; the server stays for a while, because a transaction or a page is open")
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-check.C:
		}
	}
}

var conversationName = regexp.MustCompile(`^conv_[0-9a-f]{32}$`)

// admit judges the client that says hello.
func (a *app) admit(h door.Hello) door.Welcome {
	refuse := func(do, format string, args ...any) door.Welcome {
		return door.Welcome{Version: version, Why: fmt.Sprintf(format, args...), Do: do}
	}
	switch {
	case h.Network != a.options.network.flag:
		return refuse(door.DoSettings, "The server of this data directory works on %s, and this client asks for %q.",
			a.options.network.flag, h.Network)
	//mutant:never ./cmd/say-ur-intent TestNewerClient
	case h.Kind == door.KindMCP && newer(version, h.Version) == "yes":
		return refuse(door.DoTakeOver, "The running server is of version %s; a newer one takes over.", version)
	case h.Kind == door.KindStatus, h.Kind == door.KindPages, h.Kind == door.KindStop:
		return door.Welcome{OK: true, Version: version}
	case h.Kind != door.KindMCP:
		return refuse(door.DoRestart, "The running server does not know the request %q: it is of another version.", h.Kind)
	case !conversationName.MatchString(h.Conversation):
		return refuse(door.DoRestart, "The client named no conversation.")
	}
	if _, err := tools.ParseToolsets(h.Session.Toolsets); err != nil {
		return refuse(door.DoRestart, "The client asks for toolsets that this server does not have. Start the client again.")
	}
	//mutant:never ./cmd/say-ur-intent TestConflictingVariable
	if name := a.options.conflict(h.Server); name != "" {
		return refuse(door.DoSettings, "%s of this AI client's configuration is not what the running server of "+
			"Say Ur Intent uses. Take it out there, and set the address on the settings page, for all clients: %s. "+
			"Or start this client with a data directory of its own (%s).", name, a.options.homeCommand(), dataDirVariable)
	}
	w := door.Welcome{OK: true, Version: version}
	for _, t := range tools.All(tools.Deps{}) {
		if reading(t.Effect) {
			w.Reads = append(w.Reads, t.Name)
		}
	}
	return w
}

// conflict returns the first variable that a client sets to something else than this
// server uses, or "" if nothing conflicts.
func (s options) conflict(client map[string]string) string {
	for _, name := range serviceVariables() {
		if sum := client[name]; sum != "" && sum != door.Sum(s.inForce(name)) {
			return name
		}
	}
	return ""
}

// serveClient serves one admitted client.
func (a *app) serveClient(ctx context.Context, h door.Hello, in io.Reader, out io.Writer) error {
	if h.Kind != door.KindMCP {
		return a.answer(ctx, h, out)
	}
	toolsets, err := tools.ParseToolsets(h.Session.Toolsets)
	if err != nil {
		return err
	}
	if toolsets, err = a.withProjects(ctx, toolsets); err != nil {
		return err
	}
	s := &session{app: a, conversation: h.Conversation, toolsets: toolsets, toolNames: h.Session.ToolNames}
	var done func()
	s.browser, done = a.openBrowser(h.Session.OpenBrowser, func(name string) string { return h.Session.Display[name] })
	defer done()
	return s.serve(ctx, in, out)
}

// reading reports whether a call of a tool with this effect can be repeated.
func reading(e tool.Effect) bool {
	switch e {
	case tool.Static, tool.ReadsLocal, tool.ReadsChain, tool.FillsCache, tool.KeepsTime:
		return true
	}
	return false
}
