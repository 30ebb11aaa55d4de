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
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
)

// relayOptions are the options of both ends of a relay.
type relayOptions struct{ url, profile, credentials string }

// flags defines the flags.
func (o *relayOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "nats", "", "`URL` of your own NATS server, such as nats://host:4222")
	o.profileFlags(f)
}

func (o *relayOptions) profileFlags(f *pflag.FlagSet) {
	f.StringVar(&o.profile, "profile", "", "`NAME` of the connection, the same on both machines")
	f.StringVar(&o.credentials, "nats-creds", "", "`FILE` with credentials for the NATS server")
}

// check validates the options and makes the path of the credentials absolute.
func (o *relayOptions) check() (err error) {
	if o.credentials != "" {
		if o.credentials, err = filepath.Abs(o.credentials); err != nil { // the server reads it
			return err
		}
	}
	if o.url == "" {
		return errors.New("name your NATS server: --nats nats://host:4222")
	}
	if o.profile == "" {
		return errors.New("name the connection, with the same name on both machines: --profile home")
	}
	return remotes.CheckProfile(o.profile)
}

func shareCommand(p process) *cobra.Command {
	var o relayOptions
	flags := newServerFlags()
	flags.hide(sessionFlags...)
	cmd := &cobra.Command{Use: "share --nats URL --profile NAME", Short: "Serve AI clients on other machines",
		Long: "Serves AI clients on machines that you accept on the settings page, over your own NATS server.\n" +
			"Pages, wallet and data stay here. Ctrl-C ends it.",
		Example: examples("say-ur-intent share --nats nats://host:4222 --profile home"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runShare(p, o, flags) }}
	o.flags(cmd.Flags())
	cmd.Flags().AddFlagSet(flags.set)
	return cmd
}

// runShare runs the command on the user's side of a relay.
func runShare(p process, o relayOptions, flags *serverFlags) error {
	if err := o.check(); err != nil {
		return bad(err)
	}
	s, err := flags.options(p)
	if err != nil {
		return err
	}
	if s.dataDir == "" {
		return bad(errors.New("a shared sandbox needs a data directory: set " + dataDirVariable))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = s.byServer(ctx, p, flags.args(), func(proxy *door.Proxy) error { return o.shareThere(ctx, p, proxy) },
		func(ctx context.Context, a *app) error {
			return a.share(ctx, o, func(text string) { fmt.Fprintln(p.Stdout, text) })
		})
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return unreachable(err)
}

// shareLine is one line that a server sends while it shares.
type shareLine struct {
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"` // why sharing ended
}

// shareThere makes the server share until ctx ends. If the server ends first, it starts another.
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
			err = errors.New("the server did not respond; see server.log in the data directory")
		}
		if err != nil {
			return err
		}
	}
}

// shareOver shares for a command until its connection ends.
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

// share serves other machines until ctx ends. It calls say with messages for the user.
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
	home, err := a.ownLink(ctx, pagetoken.Home, pagetoken.HomeSubject)
	if err != nil {
		return err
	}
	host := a.host(profile)
	host.NATS = nc
	host.Listening = func() {
		say(fmt.Sprintf("Sharing with the profile %s. Admit machines that ask on the settings page, from here:\n%s",
			o.profile, home))
	}
	host.Paired = func(code string) {
		say(fmt.Sprintf("Another machine asks to connect. It must show the code %s. Admit it on the settings page.", code))
	}
	return host.Run(ctx)
}

func connectCommand(p process) *cobra.Command {
	var o relayOptions
	pair := false
	cmd := &cobra.Command{Use: "connect --nats URL --profile NAME", Short: "Use the program on another machine",
		Long: "Runs an MCP server for an AI client on this machine, answered by the program on the other " +
			"machine.\nWith --pair it first exchanges keys: compare the code with the one on the settings page there.",
		Example: examples("say-ur-intent connect --nats nats://host:4222 --profile home --pair"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runConnect(p, o, pair) }}
	o.flags(cmd.Flags())
	cmd.Flags().BoolVar(&pair, "pair", false, "exchange keys with the other machine first")
	return cmd
}

// connectOptions parses the arguments of a client's entry that connects to another machine.
func connectOptions(args []string) (o relayOptions, err error) {
	f := pflag.NewFlagSet("connect", pflag.ContinueOnError)
	o.flags(f)
	if err := f.Parse(twoDashes(args)); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return o, o.check()
}

// runConnect runs the command on the AI client's side of a relay.
func runConnect(p process, o relayOptions, pair bool) error {
	if err := o.check(); err != nil {
		return bad(err)
	}
	dir, err := dataDir(p, networks["mainnet"])
	if err != nil {
		return bad(err)
	}
	dir = filepath.Dir(dir) // all networks share a machine's profiles
	profile, err := relay.OpenProfile(dir, relay.Connecting, o.profile)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if pair {
		return runPairing(ctx, p, o, profile)
	}
	return connectClient(ctx, p, o, profile)
}

// runPairing exchanges keys with the other machine. It stores the other key after the user has
// confirmed that both machines show the same code.
func runPairing(ctx context.Context, p process, o relayOptions, profile *relay.Profile) error {
	nc, err := relay.Dial(o.url, o.credentials)
	if err != nil {
		return unreachable(err)
	}
	defer nc.Close()
	paired, err := (&relay.Guest{NATS: nc, Profile: profile, Now: p.Now}).Pair(ctx)
	if errors.Is(err, relay.ErrAbsent) {
		err = fmt.Errorf("no machine shares the profile %s over this NATS server. Run there: say-ur-intent share --nats %s --profile %s",
			o.profile, o.url, o.profile)
	}
	if err != nil {
		return unreachable(err)
	}
	fmt.Fprintf(p.Stdout,
		"The code is %s. The settings page on the other machine must show the same one.\nDoes it? Type yes: ", paired.Code)
	var answer string
	if _, err := fmt.Fscan(p.Stdin, &answer); err != nil || !strings.EqualFold(answer, "yes") {
		fmt.Fprintln(p.Stdout, "Nothing was kept.")
		return exitStatus(exitFailed)
	}
	profile.Peer = &paired.Peer
	if err := profile.Save(); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout,
		"The key is saved. Admit this machine on the settings page now. Then an AI client can use this command "+
			"without --pair.")
	return nil
}
