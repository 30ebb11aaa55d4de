package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// The log file of a server that a client started, and the prefix of the line about a failed start.
const (
	serverLog   = "server.log"
	serveFailed = "say-ur-intent serve: "
)

func serveCommand(p process) *cobra.Command {
	flags := newServerFlags()
	flags.hide("standalone", "toolsets", "tool-names", "open-browser")
	cmd := &cobra.Command{Use: "serve", Short: "Run the server that AI clients share",
		Long: "Runs the server of the data directory. AI clients start it themselves. It ends when it is no longer " +
			"needed.",
		Example: examples("say-ur-intent serve --idle 1h", "say-ur-intent serve --manual-test PROJECT"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runServer(p, flags) }}
	cmd.Flags().AddFlagSet(flags.set)
	return cmd
}

// runServer runs the shared server of a data directory until it has been unused for a while.
func runServer(p process, flags *serverFlags) error {
	starter := door.StartedBy()
	s, err := flags.options(p)
	if err == nil && s.dataDir == "" {
		err = errors.New("a sandbox needs a data directory to share its server: set " + dataDirVariable)
	}
	if err == nil {
		if starter != nil {
			p.Stderr = &logFile{path: filepath.Join(s.dataDir, serverLog)}
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		err = host(ctx, p, s, starter, nil)
	}
	if err != nil {
		starter.Ready(err)
		if starter != nil { // standard error is the server's log now
			fmt.Fprintf(p.Stderr, serveFailed+"%v\n", err)
			return exitStatus(exitFailed)
		}
	}
	return err
}

// startedBy describes who started the server.
func startedBy(s options, starter *door.Starter) string {
	switch {
	case starter != nil:
		return "an AI client or a command, in the background"
	case s.standalone:
		return "its own client, with --standalone"
	case s.why != nil:
		return "its own client"
	}
	return "a person"
}

// host runs the server of a data directory until it is not needed or ctx ends. client serves this
// process's own AI client and may be nil.
func host(ctx context.Context, p process, s options, starter *door.Starter, client func(context.Context,
	*app) error) error {
	again, err := hostOnce(ctx, p, s, starter, client)
	if err != nil || !again {
		return err
	}
	c, err := door.ReadClient([]string{"--network", s.network.flag}, p.Getenv)
	if err != nil {
		return err
	}
	next := c.Proxy(os.Args[0], version, p.Now)
	if next.Start.Path, err = os.Executable(); err != nil {
		return err
	}
	next.Start.Args, next.Hello.Kind = os.Args[1:], door.KindStatus
	return next.Answers(ctx, func(json.RawMessage) error { return nil })
}

// hostOnce runs one server, and reports whether the user wants another one to follow.
func hostOnce(ctx context.Context, p process, s options, starter *door.Starter, client func(context.Context,
	*app) error) (again bool, err error) {
	// The live heap is a few megabytes, so the default would collect every hundred calls. The
	// memory limit makes collections more frequent during a burst.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(256 << 20)
	a, err := newApp(ctx, p, s)
	if err != nil {
		return false, err
	}
	defer a.close()
	if err := a.checkManualTest(ctx); err != nil {
		return false, err
	}
	if a.started, err = newIdentity(); err != nil {
		return false, err
	}
	a.started.since = a.now()
	a.started.by = startedBy(s, starter)
	defer a.end()
	ctx = a.life
	d := &door.Server{Now: a.now, Log: a.log, Admit: a.accept, Serve: a.serveClient}
	if err := d.Listen(a.options.dataDir); err != nil {
		if client == nil {
			return false, err
		}
		a.log.Warn("other AI clients cannot join this server", "cause", err)
	}
	a.sessions = d.Sessions
	starter.Ready(nil)
	var served chan error
	if client != nil {
		served = make(chan error, 1)
		leave := d.Join()
		go func() { defer leave(); served <- client(ctx, a) }()
	}
	go a.endIdle(ctx, d, s.idle)
	err = d.Run(ctx)
	if served == nil {
		return a.again.Load(), err
	}
	if failed := <-served; ctx.Err() == nil {
		err = errors.Join(err, failed)
	}
	return false, err
}

// restart returns a function that ends this server and starts another. It returns nil for a server
// that ends with its client, and for a server with a test window, which a restart would open again.
func (a *app) restart() func() {
	if a.options.dataDir == "" || a.options.inClient || a.options.manualTest != "" {
		return nil
	}
	return func() {
		a.again.Store(true)
		a.end()
	}
}

var conversationName = regexp.MustCompile(`^conv_[0-9a-f]{32}$`)

// accept decides whether to serve a client.
func (a *app) accept(h door.Hello) door.Welcome {
	refuse := func(do, format string, args ...any) door.Welcome {
		return door.Welcome{Version: version, Why: fmt.Sprintf(format, args...), Do: do}
	}
	switch {
	case h.Network != a.options.network.flag:
		return refuse(door.DoSettings, "The server of this data directory uses %s, but this client requests %q.",
			a.options.network.flag, h.Network)
	//mutant:never ./cmd/say-ur-intent TestNewerClient
	case h.Kind == door.KindMCP && newer(version, h.Version) == "yes":
		return refuse(door.DoTakeOver, "The running server has version %s; a newer one takes over.", version)
	case slices.Contains([]string{door.KindStatus, door.KindPages, door.KindStop, door.KindShare,
		door.KindRecord}, h.Kind):
		return door.Welcome{OK: true, Version: version}
	case h.Kind != door.KindMCP:
		return refuse(door.DoRestart, "The running server does not support the request %q: it has another version.", h.Kind)
	case !conversationName.MatchString(h.Conversation):
		return refuse(door.DoRestart, "The client did not name a conversation.")
	}
	if _, err := tools.ParseToolsets(h.Session.Toolsets); err != nil {
		return refuse(door.DoRestart, "The client requests toolsets that this server does not have. Restart the client.")
	}
	//mutant:never ./cmd/say-ur-intent TestConflictingVariable
	if name := a.options.conflict(h.Server); name != "" {
		return refuse(door.DoSettings, "%s in this AI client's configuration differs from what the running Say Ur "+
			"Intent server uses. Remove it there, and set the address on the settings page, for all clients: %s. Or start "+
			"this client with its own data directory (%s).", name, a.options.homeCommand(), dataDirVariable)
	}
	w := door.Welcome{OK: true, Version: version}
	for _, t := range tools.All(tools.Deps{}) {
		if reading(t.Effect) {
			w.Reads = append(w.Reads, t.Name)
		}
	}
	return w
}

// serveClient serves a client until it disconnects.
func (a *app) serveClient(ctx context.Context, h door.Hello, in io.Reader, out io.Writer) error {
	if h.Kind != door.KindMCP {
		return a.answer(ctx, h, in, out)
	}
	toolsets, err := tools.ParseToolsets(h.Session.Toolsets)
	if err != nil {
		return err
	}
	s := &session{app: a, conversation: h.Conversation, toolsets: toolsets, toolNames: h.Session.ToolNames}
	var left func()
	s.refuse, left = a.waits(h)
	defer left()
	var done func()
	s.browser, done = a.openBrowser(h.Session.OpenBrowser, func(name string) string { return h.Session.Display[name] })
	defer done()
	return s.serve(ctx, in, out)
}

// reading reports whether it is safe to repeat a call of a tool with this effect.
func reading(e tool.Effect) bool {
	switch e {
	case tool.Static, tool.ReadsLocal, tool.ReadsChain, tool.FillsCache, tool.KeepsTime:
		return true
	}
	return false
}
