package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/door"
)

// serverStatus is the status that a running server reports.
type serverStatus struct {
	Network   string    `json:"network"`
	Version   string    `json:"version"`
	PID       int       `json:"pid"`
	Since     time.Time `json:"since"`
	Started   string    `json:"started_by"`        // who started it, as a noun phrase
	Why       string    `json:"why,omitempty"`     // why no background server could be started
	Sessions  int       `json:"sessions"`          // number of connected AI clients
	Pages     string    `json:"pages"`             // address of the pages
	Waiting   int       `json:"waiting"`           // number of reviews with an unsettled transaction
	Questions int       `json:"questions"`         // number of open questions from AI clients
	Open      int       `json:"open"`              // number of reviews that have not ended, including those in Waiting
	Running   int       `json:"running"`           // number of running tasks
	Stopped   bool      `json:"stopped"`           // signing is paused
	Sharing   bool      `json:"sharing"`           // other machines may connect
	Stays     string    `json:"stays,omitempty"`   // why the server stays without an AI client
	Problem   string    `json:"problem,omitempty"` // error while reading the status
}

// maxOpen is the number of open reviews at which a status stops counting.
const maxOpen = 1000

// identity identifies the program file that a server was started from.
type identity struct {
	path  string
	info  os.FileInfo
	since time.Time
	by    string // who started it
}

// newIdentity returns the identity of this process's program.
func newIdentity() (identity, error) {
	path, err := os.Executable()
	if err != nil {
		return identity{}, err
	}
	info, err := os.Stat(path)
	return identity{path: path, info: info}, err
}

// replaced reports whether another program has since taken this one's path, as after an upgrade.
func (i identity) replaced() bool {
	now, err := os.Stat(i.path)
	return err == nil && !os.SameFile(now, i.info)
}

// answer handles a connection that does not speak MCP, such as a status query.
func (a *app) answer(ctx context.Context, h door.Hello, in io.Reader, out io.Writer) error {
	say := func(v any) error { return json.NewEncoder(out).Encode(v) }
	switch h.Kind {
	case door.KindStatus:
		return say(a.status(ctx))
	case door.KindPages:
		at, err := a.atPages(ctx)
		if err != nil {
			return err
		}
		return say(at)
	case door.KindRecord:
		return a.sendRecord(ctx, h.Record != nil && h.Record.Names, func(part recordPart) error { return say(part) })
	case door.KindShare:
		return a.shareOver(ctx, h, in, say)
	default: // KindStop
		defer a.end()
		return say(a.status(ctx))
	}
}

// status collects this server's status. Errors are reported in Problem.
func (a *app) status(ctx context.Context) serverStatus {
	sessions, _ := a.sessions()
	s := serverStatus{Network: a.options.network.flag, Version: version, PID: os.Getpid(),
		Since:    a.started.since.UTC(),
		Started:  a.started.by,
		Sessions: sessions - 1, // not counting the caller
		Running:  a.runner.Running(), Sharing: a.sharing(), Pages: a.served.origin}
	if a.options.why != nil {
		s.Why = a.options.why.Error()
	}
	unsettled, err := a.db.Unsettled(ctx)
	s.Waiting = len(unsettled)
	open, unlisted := a.db.WaitingReviews(ctx, a.now(), maxOpen)
	s.Open = len(open)
	asking, unasked := a.db.Asking(ctx)
	for _, t := range asking {
		if t.Question != nil && t.Due(a.now()) == "" {
			s.Questions++
		}
	}
	if s.Sessions <= 0 {
		s.Stays = a.owed(ctx)
	}
	frozen, unread := a.db.Frozen(ctx)
	s.Stopped = frozen
	if err := errors.Join(err, unread, unlisted, unasked); err != nil {
		s.Problem = err.Error()
	}
	return s
}

// serving reports whether clients that cannot start the server may still connect, either over HTTP
// or from other machines.
func (a *app) serving() bool {
	http, err := a.overHTTP(context.Background())
	return err == nil && http || a.sharing()
}

// sharing reports whether other machines may connect.
func (a *app) sharing() bool {
	stored, err := a.db.Settings(context.Background())
	return err == nil && stored.Sharing.On
}

// askServer queries the server of the data directory. It fails with door.ErrAbsent if none is
// running.
func (s options) askServer(p process, kind string, answer any) error {
	h := door.Hello{Protocol: door.Protocol, Version: version, Kind: kind, Network: s.network.flag}
	h.Client.PID = os.Getpid()
	text, err := door.Ask(s.dataDir, h, p.Now())
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// runningServers queries the server of each network's data directory. One that does not respond is
// listed with the reason.
func runningServers(p process) []serverStatus {
	list := []serverStatus{}
	for _, name := range []string{"mainnet", "sandbox"} {
		s, err := parseOptions(p, []string{"--network", name})
		if err != nil || s.dataDir == "" {
			continue
		}
		one := serverStatus{Network: name}
		if err := s.askServer(p, door.KindStatus, &one); err != nil {
			one.Problem = err.Error()
			if errors.Is(err, door.ErrAbsent) {
				continue
			}
		}
		list = append(list, one)
	}
	return list
}

// print writes the status for the user, starting with the most important facts.
func (s serverStatus) print(w io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-12s%s\n", name, fmt.Sprintf(format, args...))
	}
	if s.PID == 0 {
		fmt.Fprintf(w, "Not answering on %s: %s\n", s.Network, s.Problem)
		return
	}
	fmt.Fprintf(w, "Running on %s\n", s.Network)
	if s.Stopped {
		line("Signing", "paused by you; resume it on the settings page")
	}
	line("For you", "%s", s.waits())
	line("Pages", "%s (open them: %s)", s.Pages, pagesCommandOf(s.Network))
	line("AI clients", "%d connected", max(s.Sessions, 0))
	if s.Stays != "" {
		line("Stays", "for you, because %s", s.Stays)
	}
	line("Server", "version %s, process %d, since %s, started by %s", s.Version, s.PID,
		s.Since.Local().Format("2 Jan 15:04"), s.Started)
	if s.Why != "" {
		line("", "It runs in the client's process, because no background server could be started (%s).", s.Why)
	}
	if s.Problem != "" {
		line("Problem", "%s", s.Problem)
	}
}

// waits counts the reviews and questions that wait for the user.
func (s serverStatus) waits() string {
	text := "nothing waits"
	if s.Open > 0 || s.Waiting > 0 {
		text = fmt.Sprintf("open reviews: %d", s.Open)
	}
	if s.Waiting > 0 {
		text += fmt.Sprintf(", without a result yet: %d", s.Waiting)
	}
	if s.Questions > 0 && s.Open == 0 {
		return fmt.Sprintf("open questions: %d", s.Questions)
	}
	if s.Questions > 0 {
		text += fmt.Sprintf("; open questions: %d", s.Questions)
	}
	return text
}

// pagesCommandOf returns the command that opens the pages on a network.
func pagesCommandOf(network string) string {
	if network == "mainnet" {
		return "say-ur-intent pages"
	}
	return "say-ur-intent pages --network " + network
}

// sentence describes a server's status in one line.
func (s serverStatus) sentence() string {
	text := fmt.Sprintf("The server for %s has been running since %s (process %d, version %s), started by %s. "+
		"AI clients: %d. Transactions without a result: %d. Pages: %s.",
		s.Network, s.Since.Local().Format("2 Jan 15:04"), s.PID, s.Version, s.Started, s.Sessions, s.Waiting, s.Pages)
	if s.Why != "" {
		text += " It runs in the client's process, because no background server could be started (" + s.Why + ")."
	}
	if s.Stopped {
		text += " Signing is paused; you can resume it on the settings page."
	}
	return text
}

func stopCommand(p process) *cobra.Command {
	flags := newServerFlags()
	flags.hide(sessionFlags...)
	flags.hide("open-browser", "grpc-url", "graphql-url")
	cmd := &cobra.Command{Use: "stop", Short: "Stop the server",
		Long:    "Stops the server of the data directory. Running AI clients start it again.",
		Example: examples("say-ur-intent stop", "say-ur-intent stop --network sandbox"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runStop(p, flags) }}
	cmd.Flags().AddFlagSet(flags.set)
	return cmd
}

// runStop stops the server of the data directory and prints what happens next.
func runStop(p process, flags *serverFlags) error {
	s, err := flags.options(p)
	if err != nil {
		return err
	}
	var was serverStatus
	switch err := s.askServer(p, door.KindStop, &was); {
	case errors.Is(err, door.ErrAbsent):
		fmt.Fprintln(p.Stdout, "No server is running.")
		return nil
	case err != nil:
		return err
	}
	fmt.Fprintf(p.Stdout, "The server (process %d) has ended.%s\n", was.PID, was.left())
	return nil
}

// left describes the work that the next server will take over.
func (s serverStatus) left() string {
	switch {
	case s.Waiting > 0:
		return fmt.Sprintf(" Transactions with unknown results: %d. The next server looks for them.", s.Waiting)
	case s.Sessions > 0:
		return fmt.Sprintf(" Connected AI clients: %d. Each starts it again with its next call.", s.Sessions)
	}
	return ""
}
