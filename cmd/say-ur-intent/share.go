package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
)

// relayOptions are what both ends of a relay are told.
type relayOptions struct{ url, profile, credentials string }

// relayArgs takes the flags of a relay out of the arguments; the rest are the server's.
func relayArgs(args []string) (o relayOptions, rest []string, err error) {
	into := map[string]*string{"nats": &o.url, "profile": &o.profile, "nats-creds": &o.credentials}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		to := into[name]
		if to == nil || !strings.HasPrefix(args[i], "-") {
			rest = append(rest, args[i])
			continue
		}
		if !joined {
			if i++; i == len(args) {
				return o, nil, fmt.Errorf("--%s needs a value", name)
			}
			value = args[i]
		}
		*to = value
	}
	if slices.ContainsFunc(rest, func(a string) bool { return a == "-h" || a == "--help" || a == "-help" }) {
		return o, rest, flag.ErrHelp
	}
	if o.credentials != "" {
		if o.credentials, err = filepath.Abs(o.credentials); err != nil { // another process reads it
			return o, nil, err
		}
	}
	if o.url == "" {
		return o, nil, errors.New("name your NATS server: --nats nats://host:4222")
	}
	return o, rest, remotes.CheckProfile(o.profile)
}

const shareUsage = `usage: say-ur-intent share --nats URL --profile NAME [--nats-creds FILE] [flags of the server]
Serves AI clients on machines that you admit on the settings page, over your own NATS server.
Pages, wallet and data stay here. Ctrl-C ends it.
`

// runShare is the person's side of a relay.
func runShare(p process, args []string) int {
	o, rest, err := relayArgs(args)
	var s options
	if err == nil {
		s, err = parseOptions(p, rest)
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.Stdout, shareUsage)
		return exitOK
	}
	if err == nil && s.dataDir == "" {
		err = errors.New("a shared sandbox needs a data directory: set " + dataDirVariable)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent share: %v\n", err)
		return exitBadInput
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = s.byServer(ctx, p, rest, func(proxy *door.Proxy) error { return o.shareThere(ctx, p, proxy) },
		func(ctx context.Context, a *app) error {
			return a.share(ctx, o, func(text string) { fmt.Fprintln(p.Stdout, text) })
		})
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent share: %v\n", err)
		return exitUnreachable
	}
	return exitOK
}

// shareLine is what a server says of sharing.
type shareLine struct {
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"` // why it ended
}

// shareThere has the server share until ctx ends. If the server ends first, the next one
// goes on.
func (o relayOptions) shareThere(ctx context.Context, p process, proxy *door.Proxy) error {
	proxy.Hello.Kind = door.KindShare
	proxy.Hello.Share = &door.Share{URL: o.url, Profile: o.profile, Credentials: o.credentials}
	for {
		heard := false
		err := proxy.Answers(ctx, func(line json.RawMessage) error {
			var said shareLine
			if err := json.Unmarshal(line, &said); err != nil {
				return err
			}
			heard = true
			if said.Error != "" {
				return errors.New(said.Error)
			}
			fmt.Fprintln(p.Stdout, said.Text)
			return nil
		})
		if err == nil && !heard {
			err = errors.New("the server did not answer; server.log in the data directory says why")
		}
		if err != nil {
			return err
		}
	}
}

// shareOver shares for as long as a connection lasts.
func (a *app) shareOver(ctx context.Context, h door.Hello, in io.Reader, say func(any) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, in)
	}()
	if h.Share == nil {
		return say(shareLine{Error: "The request names no NATS server."})
	}
	o := relayOptions{url: h.Share.URL, profile: h.Share.Profile, credentials: h.Share.Credentials}
	err := a.share(ctx, o, func(text string) { _ = say(shareLine{Text: text}) })
	if err != nil && ctx.Err() == nil {
		return say(shareLine{Error: err.Error()})
	}
	return nil
}

// share serves remotes until ctx ends. say takes what a person should know.
func (a *app) share(ctx context.Context, o relayOptions, say func(text string)) error {
	profile, err := relay.OpenProfile(a.options.dataDir, relay.Sharing, o.profile)
	if err != nil {
		return err
	}
	nc, err := relay.Dial(o.url, o.credentials)
	if err != nil {
		return err
	}
	defer nc.Close()
	home, err := a.link(ctx, pagetoken.Home, pagetoken.HomeSubject)
	if err != nil {
		return err
	}
	say(fmt.Sprintf("Sharing by the profile %s. Machines that ask are admitted on the settings page, from here:\n%s",
		o.profile, home))
	host := a.host(profile, say)
	host.NATS = nc
	host.Paired = func(code string) {
		say(fmt.Sprintf("A machine asks to be admitted. It must show the code %s. Admit it on the settings page.", code))
	}
	return host.Run(ctx)
}

const connectUsage = `usage: say-ur-intent connect --nats URL --profile NAME [--nats-creds FILE] [--pair]
An MCP server over stdio for a client on this machine; the program of the other machine answers.
With --pair it exchanges keys first: compare the code with the one on the settings page there.
`

// runConnect is the other side of a relay.
func runConnect(p process, args []string) int {
	o, rest, err := relayArgs(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.Stdout, connectUsage)
		return exitOK
	}
	flags := quietFlags("connect")
	pair := flags.Bool("pair", false, "")
	var dir string
	if err == nil {
		if err = flags.Parse(rest); err == nil && flags.NArg() > 0 {
			err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
		}
	}
	if err == nil {
		dir, err = dataDir(p, networks["mainnet"])
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent connect: %v\n", err)
		return exitBadInput
	}
	dir = filepath.Dir(dir) // a profile belongs to a machine, not to a network
	profile, err := relay.OpenProfile(dir, relay.Connecting, o.profile)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent connect: %v\n", err)
		return exitFailed
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *pair {
		return runPairing(ctx, p, o, profile)
	}
	return connectClient(ctx, p, o, profile)
}

// runPairing exchanges keys, and keeps the other side's once the person said that both
// machines show one code.
func runPairing(ctx context.Context, p process, o relayOptions, profile *relay.Profile) int {
	nc, err := relay.Dial(o.url, o.credentials)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent connect: %v\n", err)
		return exitUnreachable
	}
	defer nc.Close()
	paired, err := (&relay.Guest{NATS: nc, Profile: profile, Now: p.Now}).Pair(ctx)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent connect: %v\n", err)
		return exitUnreachable
	}
	fmt.Fprintf(p.Stdout, "The code is %s. The settings page on the other machine must show the same one.\nDoes it? Type yes: ", paired.Code)
	var answer string
	if _, err := fmt.Fscan(p.Stdin, &answer); err != nil || !strings.EqualFold(answer, "yes") {
		fmt.Fprintln(p.Stdout, "Nothing was kept.")
		return exitFailed
	}
	profile.Peer = &paired.Peer
	if err := profile.Save(); err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent connect: %v\n", err)
		return exitFailed
	}
	fmt.Fprintln(p.Stdout, "The key is kept. Admit this machine on the settings page now; then an AI client can use this command without --pair.")
	return exitOK
}
