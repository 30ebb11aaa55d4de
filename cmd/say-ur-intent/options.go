package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/wschat"
	"github.com/sayurintent/sayurintent/review/node"
	"github.com/sayurintent/sayurintent/tools"
)

// network describes a supported chain. The pages' banner and test wallet also differ by network.
type network struct {
	flag        string // value of the flag --network
	answer      string // value of network in results
	walletChain string // chain name in the wallet standard
	// services are the default addresses. If the node's address is empty, a sandbox is embedded.
	// Other required services whose address is empty are served by the node.
	services [settings.Count]string
	pace     node.Pace
}

var networks = map[string]network{
	"mainnet": {"mainnet", "sui:mainnet", "sui:mainnet", [settings.Count]string{
		settings.GRPC: "https://fullnode.mainnet.sui.io:443", settings.GraphQL: "https://graphql.mainnet.sui.io/graphql",
		settings.Indexer: indexer.DefaultURL, settings.Quoter: quoter.DefaultURL}, node.MainnetPace()},
	"sandbox": {"sandbox", "sui:sandbox", "sui:localnet", [settings.Count]string{},
		node.Pace{Epoch: sandbox.FirstEpoch, Length: sandbox.EpochLength, Ahead: sandbox.EpochsByHand}},
}

// mainnetGenesis is the beginning of mainnet's genesis digest. The digest is public, so a node that
// reports it may still be false. A node that reports any other must not be used for mainnet.
var mainnetGenesis = []byte{0x35, 0x83, 0x4a, 0x8a}

// accept returns an error if a node's chain is not the network's.
func (n network) accept(genesis sui.Digest) error {
	mainnet := bytes.HasPrefix(genesis[:], mainnetGenesis)
	if mainnet == (n.flag == "mainnet") {
		return nil
	}
	return fault.New(fault.NetworkMismatch,
		"The node serves a different chain than %s. Set SUI_GRPC_URL to a node on that network and start again.", n.answer)
}

// options holds the values of flags and environment variables. Flags take precedence. When the
// store is open, its values fill in what neither sets.
type options struct {
	network   network
	toolNames string
	toolsets  tools.Toolsets
	// openBrowser determines when the browser is started: ask, always or never.
	openBrowser string
	manualTest  string // project whose WebSocket test window to open; "" for none
	// services are the effective addresses. For empty ones, see network.
	services [settings.Count]settings.InForce
	dataDir  string        // "" for a temporary directory
	dirNamed bool          // the environment names the directory
	port     int           // port of the pages; 0 for the installation's
	idle     time.Duration // how long to stay when nothing uses the server
	http     bool          // AI clients may connect over HTTP, even if the settings do not allow it
	// standalone makes this process serve its client by itself.
	standalone bool
	why        error // why no shared server could be started; nil if the user asked for none
	inClient   bool  // the server runs in the process of a client or a command
}

// serverFlags are the flags of the server on the command line of one command.
type serverFlags struct {
	set                 *pflag.FlagSet
	network             string
	toolNames, toolsets string
	open                openChoice
	manualTest          string
	services            [settings.Count]string
	idle                time.Duration
	standalone, http    bool
}

func newServerFlags() *serverFlags {
	f := &serverFlags{set: pflag.NewFlagSet("say-ur-intent", pflag.ContinueOnError), open: openAsk}
	f.network, f.toolsets, f.toolNames = "mainnet", "all", "auto"
	f.set.Var(&choice{&f.network, networkNames}, "network", "chain to work on")
	f.set.Var(&choice{&f.toolsets, strings.Join(tools.ToolsetNames(), "|")}, "toolsets",
		"tools to serve, separated by commas")
	f.set.Var(&choice{&f.toolNames, "auto|dotted|underscore"}, "tool-names", "spelling of tool names")
	f.set.Var(&f.open, "open-browser", "when to open pages in the browser")
	f.set.Lookup("open-browser").NoOptDefVal = openAlways
	for w := range settings.Count {
		if about := w.Info(); about.Flag != "" {
			f.set.StringVar(&f.services[w], about.Flag, "", "`URL` of the "+about.Title)
		}
	}
	f.set.StringVar(&f.manualTest, "manual-test", "",
		"open the WebSocket to `PROJECT` for 15 minutes, read-only, without a token; with --standalone or serve")
	f.set.BoolVar(&f.http, "http", false,
		"let AI clients with a token connect over HTTP while this server runs; with --standalone or serve")
	f.set.DurationVar(&f.idle, "idle", time.Minute, "`TIME` that an unneeded server keeps running")
	f.set.BoolVar(&f.standalone, "standalone", false, "serve in this process, not in the server that AI clients share")
	return f
}

const networkNames = "mainnet|sandbox"

// choice is a flag with a fixed set of values, which its help lists. It accepts every value.
// Whoever reads the flag must check it.
type choice struct {
	to    *string
	words string
}

func (c *choice) String() string { return *c.to }

// Type implements pflag.Value.
func (c *choice) Type() string { return c.words }

// Set implements pflag.Value.
func (c *choice) Set(text string) error {
	*c.to = text
	return nil
}

// hide removes flags from a command's help. The command still accepts them.
func (f *serverFlags) hide(names ...string) {
	for _, name := range names {
		f.set.Lookup(name).Hidden = true
	}
}

// sessionFlags are the flags that matter only to commands that serve an AI client.
var sessionFlags = []string{"toolsets", "tool-names", "manual-test", "http", "idle", "standalone"}

// args returns the flags that were set, as command line arguments.
func (f *serverFlags) args() (args []string) {
	f.set.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed {
			args = append(args, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	return args
}

// parseOptions parses the server's flags and environment. Its errors are written for users.
func parseOptions(p process, args []string) (options, error) {
	f := newServerFlags()
	if err := f.set.Parse(twoDashes(args)); err != nil {
		f.set.Bool("version", false, "")
		f.set.Bool("help", false, "")
		return options{}, badFlags(f.set, err)
	}
	if f.set.NArg() > 0 {
		return options{}, misused(fmt.Errorf("unexpected argument %q; a command comes before its flags", f.set.Arg(0)))
	}
	return f.options(p)
}

// options returns the values of the flags and the environment.
func (f *serverFlags) options(p process) (options, error) {
	s, err := f.read(p)
	return s, bad(err)
}

func (f *serverFlags) read(p process) (options, error) {
	n, ok := networks[f.network]
	if !ok {
		return options{}, fmt.Errorf("--network is mainnet or sandbox, not %q", f.network)
	}
	if f.toolNames != "auto" && f.toolNames != "dotted" && f.toolNames != "underscore" {
		return options{}, fmt.Errorf("--tool-names is auto, dotted or underscore, not %q", f.toolNames)
	}
	if f.manualTest != "" && !wschat.ValidProject(f.manualTest) {
		return options{}, fmt.Errorf("--manual-test is the key of a project, not %q", f.manualTest)
	}
	served, err := tools.ParseToolsets(f.toolsets)
	if err != nil {
		return options{}, fmt.Errorf("--toolsets: %s", fault.As(err).Text)
	}
	s := options{network: n, idle: f.idle, standalone: f.standalone, toolNames: f.toolNames, toolsets: served,
		openBrowser: string(f.open), manualTest: f.manualTest,
		http: f.http}
	for w := range settings.Count {
		variable := w.Info().Variable
		s.services[w] = firstOf(f.services[w], p.Getenv(variable), n.services[w])
	}
	if s.sameNodes() {
		return options{}, errors.New("SUI_GRPC_URL_2 is the same node as SUI_GRPC_URL: set another one, or unset it")
	}
	if text := p.Getenv(portVariable); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return options{}, fmt.Errorf("SAY_UR_INTENT_REVIEW_PORT is a port from 1 to 65535, not %q", text)
		}
		s.port = int(port)
	}
	s.dirNamed = p.Getenv(dataDirVariable) != ""
	s.dataDir, err = dataDir(p, n)
	return s, err
}

// sameNodes reports whether both nodes have the same address.
func (s options) sameNodes() bool {
	second := s.services[settings.Second].URL
	return second != "" && settings.Same(second, s.services[settings.GRPC].URL)
}

// Environment variables for the parent of all data directories, and for the port of the pages.
const (
	dataDirVariable = door.DirVariable
	portVariable    = "SAY_UR_INTENT_REVIEW_PORT"
)

// homeCommand returns the command that prints a link to the home page. It returns "" for a
// temporary data directory, which no other process can find.
func (s options) homeCommand() string {
	switch {
	case s.network.flag == "mainnet":
		return "say-ur-intent pages"
	case s.dirNamed:
		return "say-ur-intent pages --network " + s.network.flag
	}
	return ""
}

// homeNote returns a sentence about what to set before running homeCommand, or "".
func (s options) homeNote() string {
	if !s.dirNamed {
		return ""
	}
	return "Set " + dataDirVariable + " there as your AI client does."
}

// firstOf returns the first address that is set, and its source.
func firstOf(flag, environment, standard string) settings.InForce {
	switch {
	case flag != "":
		return settings.InForce{URL: flag, Source: settings.FromFlag}
	case environment != "":
		return settings.InForce{URL: environment, Source: settings.FromEnvironment}
	}
	return settings.InForce{URL: standard, Source: settings.FromDefault}
}

// dataDir returns the directory of a network's store. It returns "" for a temporary directory,
// which is the default only for the sandbox.
func dataDir(p process, n network) (string, error) { return door.DataDir(n.flag, p.Getenv) }

// portFile stores the installation's port. A fixed port keeps the origin of the pages, to which
// wallets attach the permissions that the user gave.
const portFile = "port"

// keptPort returns the stored port, or 0 if there is none.
func keptPort(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, portFile))
	if err != nil {
		return 0
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}

// keepPort stores the port for the next start.
func keepPort(dir string, port int) error {
	return os.WriteFile(filepath.Join(dir, portFile), []byte(strconv.Itoa(port)+"\n"), 0o600)
}
