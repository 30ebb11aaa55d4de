package door

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// ServiceVariables returns the environment variables that configure the server rather than a
// client.
func ServiceVariables() []string {
	return append(slices.Sorted(maps.Keys(serviceFlags)), "SAY_UR_INTENT_REVIEW_PORT")
}

// serviceFlags maps an address variable to the flag that overrides it, or to "" if there is none.
var serviceFlags = map[string]string{"SUI_GRPC_URL": "grpc-url", "SUI_GRAPHQL_URL": "graphql-url", "SUI_GRPC_URL_2": "",
	"SUI_ARCHIVE_URL": "", "DEEPBOOK_INDEXER_URL": "", "FLOWX_QUOTER_URL": ""}

// Client is the configuration of a client, from its command line and environment.
type Client struct {
	Network  string            // mainnet or sandbox
	Dir      string            // the data directory
	Session  Session           // settings of the client's session
	Services map[string]string // values by variable, from flags or the environment
}

// errWhole reports flags that only the full program can parse.
var errWhole = errors.New("door: these flags require the full program")

// ReadClient reads a client's flags and environment. It returns an error if they are invalid or if
// there are other flags, which only the full program can parse.
func ReadClient(args []string, getenv func(string) string) (Client, error) {
	c := Client{Services: map[string]string{}}
	flags := flag.NewFlagSet("client", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.Network, "network", "mainnet", "")
	flags.StringVar(&c.Session.ToolNames, "tool-names", "auto", "")
	flags.StringVar(&c.Session.Toolsets, "toolsets", "all", "")
	c.Session.OpenBrowser = "ask"
	flags.BoolFunc("open-browser", "", func(choice string) error {
		if c.Session.OpenBrowser = choice; choice == "true" { // the flag was given without a value
			c.Session.OpenBrowser = "always"
		}
		return nil
	})
	flagged := map[string]*string{}
	for variable, name := range serviceFlags {
		if name != "" {
			flagged[variable] = flags.String(name, "", "")
		}
	}
	if err := flags.Parse(args); err != nil {
		return Client{}, err
	}
	if flags.NArg() > 0 || c.Network != "mainnet" && c.Network != "sandbox" {
		return Client{}, errWhole
	}
	for _, name := range ServiceVariables() {
		value := getenv(name)
		if f := flagged[name]; f != nil && *f != "" {
			value = *f
		}
		if value != "" {
			c.Services[name] = value
		}
	}
	c.see(getenv)
	var err error
	if c.Dir, err = DataDir(c.Network, getenv); err == nil && c.Dir == "" {
		err = errWhole
	}
	return c, err
}

// see records the client's desktop variables.
func (c *Client) see(getenv func(string) string) {
	c.Session.Display = map[string]string{}
	for _, name := range DisplayVariables() {
		if value := getenv(name); value != "" {
			c.Session.Display[name] = value
		}
	}
}

// Proxy returns the MCP server of the client. program is the path of the full program, which it
// runs as the server.
func (c Client) Proxy(program, version string, now func() time.Time) *Proxy {
	h := Hello{Protocol: Protocol, Version: version, Kind: KindMCP, Network: c.Network, Session: c.Session,
		Conversation: newConversation(), Server: map[string]string{}}
	h.Client.PID = os.Getpid()
	for name, value := range c.Services {
		h.Server[name] = value
	}
	start := Command{Path: program, Args: []string{"serve", "--network", c.Network}, Env: c.environment()}
	if url := c.Services["SUI_GRPC_URL"]; url != "" && c.Network == "sandbox" {
		start.Args = append(start.Args, "--grpc-url", url)
	}
	return &Proxy{Now: now, Dir: c.Dir, Hello: h, Start: start}
}

func newConversation() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return "conv_" + hex.EncodeToString(b[:])
}

// environment returns the environment of a new server. It leaves out service addresses on a real
// network, because a client's configuration may come with a project and must not choose services
// for other clients. The user sets them on the settings page.
func (c Client) environment() []string {
	env := os.Environ()
	if c.Network == "sandbox" {
		return env
	}
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, service := serviceFlags[name]
		return service
	})
}
