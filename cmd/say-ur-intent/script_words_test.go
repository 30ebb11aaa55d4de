//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
)

// scene holds the participants of a script: AI clients, each with a server, and a chain.
type scene struct {
	clients map[string]*actor
	chain   *sandbox.Sandbox
}

type sceneKey struct{}

// actor is one AI client and its user, who has a review open.
type actor struct {
	*demo
	id      string
	page    *person
	shown   shownReview
	console *person // opened when it is first needed
	asked   bundled
	planned string // ID of the last plan

	backend backend // another program of the user
	env     []string
	chain   *sandbox.Sandbox // nil if the scene has none
	cursor  string           // position in the events that the user has seen
	session string           // conversation that the cursor refers to
}

// scriptWords are the script commands besides exec and the like. A command returns when its work is
// done, so scripts need not sleep. The user of a client is the one at its pages.
//
//	chain [FIELD=VALUE]       starts a chain that outlives all servers; its node may report FIELD wrong
//	fault JSON                injects a fault into the chain's node
//	server NAME [FLAG]...     the client NAME starts a server
//	call NAME TOOL [JSON]     the client calls a tool; prints its data, or with ! the error
//	ask NAME METHOD [JSON]    the client sends another MCP request; prints the result
//	wallet NAME               the user opens the link and connects the test wallet
//	review NAME [TOOL JSON]   the client requests a review, by default of the demo's swap, and the user
//	                          opens it
//	sign NAME                 the user signs the review
//	receipt NAME              the client waits for the result
//	bundle NAME JSON          the client requests a bundle, and the user opens and approves it
//	step NAME                 the user opens the next step and signs it
//	decline NAME              the user opens the next step and declines it
//	outcome NAME              the client waits for the result of the bundle
//	serves NAME               waits until this server serves the pages
//	leave NAME                the client closes the server's input, which must end it
//	crash NAME                kills the client and the server
func scriptWords() map[string]func(*testscript.TestScript, bool, []string) {
	words := map[string]func(*testscript.TestScript, bool, []string){
		"chain": scriptChain, "fault": scriptFault, "server": scriptServer,
	}
	does := map[string]func(a *actor, out io.Writer, args []string) error{
		"call": (*actor).callTool, "ask": (*actor).ask,
		"wallet":  func(a *actor, _ io.Writer, _ []string) error { return a.connect() },
		"review":  (*actor).review,
		"sign":    func(a *actor, _ io.Writer, _ []string) error { return a.sign(a.page, a.shown) },
		"receipt": func(a *actor, _ io.Writer, _ []string) error { return a.receipt(a.id) },
		"bundle":  (*actor).bundle, "step": (*actor).step, "decline": (*actor).decline, "outcome": (*actor).outcome,
		"project": (*actor).project, "unproject": (*actor).unproject, "listed": (*actor).listed,
		"inspect": (*actor).inspect, "change": (*actor).change,
		"serves": (*actor).serves, "leave": (*actor).leave, "crash": (*actor).crash,
	}
	maps.Copy(does, backendWords())
	maps.Copy(does, planWords())
	maps.Copy(does, consoleWords())
	maps.Copy(does, curlWords())
	for name, does := range does {
		words[name] = func(ts *testscript.TestScript, refused bool, args []string) {
			if len(args) == 0 {
				ts.Fatalf("%s: whose?", name)
			}
			a := sceneOf(ts).clients[args[0]]
			if a == nil {
				ts.Fatalf("%s: there is no client %q", name, args[0])
			}
			a.process.Stdout = ts.Stdout()
			err := does(a, ts.Stdout(), args[1:])
			if err != nil {
				fmt.Fprintln(ts.Stderr(), err)
			}
			if (err != nil) != refused {
				ts.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
			}
		}
	}
	return words
}

func sceneOf(ts *testscript.TestScript) *scene { return ts.Value(sceneKey{}).(*scene) }

func scriptChain(ts *testscript.TestScript, _ bool, args []string) {
	config := sandbox.Config{Now: time.Now}
	if len(args) > 0 {
		lie, err := lies.Parse(args[0])
		ts.Check(err)
		config.Before = func(node http.Handler) http.Handler {
			liar := lies.New(node)
			liar.Tell(lie)
			return liar
		}
	}
	chain, err := sandbox.New(config)
	ts.Check(err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	done := make(chan struct{})
	go func() { defer close(done); _ = chain.Serve(ln) }()
	ts.Defer(func() { chain.Close(); <-done })
	sceneOf(ts).chain = chain
	ts.Setenv("SUI_GRPC_URL", "http://"+ln.Addr().String())
}

func scriptFault(ts *testscript.TestScript, _ bool, args []string) {
	var f sandbox.Fault
	ts.Check(json.Unmarshal([]byte(args[0]), &f))
	ts.Check(sceneOf(ts).chain.Inject(f))
}

func scriptServer(ts *testscript.TestScript, refused bool, args []string) {
	executable, err := os.Executable()
	ts.Check(err)
	flags := args[1:]
	if len(flags) == 0 {
		flags = []string{"--network", "sandbox"}
	}
	env := []string{asProgram + "=1"}
	for _, name := range append(serverVariables(), "HOME") {
		env = append(env, name+"="+ts.Getenv(name))
	}
	c, err := startNamed(args[0], executable, flags, env)
	if (err != nil) != refused {
		ts.Fatalf("server: %v", err)
	}
	if err == nil {
		ts.Defer(func() {
			c.stop()
			endServer(ts.Getenv(dataDirVariable))
		})
		a := &actor{demo: &demo{process: process{Now: time.Now}, client: c}, env: env, chain: sceneOf(ts).chain}
		if before := sceneOf(ts).clients[args[0]]; before != nil {
			a.backend.token, a.planned = before.backend.token, before.planned
			a.console, a.cursor, a.session, a.page = before.console, before.cursor, before.session, before.page
			a.id, a.shown, a.asked = before.id, before.shown, before.asked
		}
		sceneOf(ts).clients[args[0]] = a
	}
}

// startNamed starts the server like the client with the given name.
func startNamed(name, executable string, flags, env []string) (*mcpClient, error) {
	c, err := spawnClient(executable, flags, env, io.Discard)
	if err != nil {
		return nil, err
	}
	if err := c.initialize(name); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// jsonOf parses an optional argument that is a JSON object.
func jsonOf(args []string) (map[string]any, error) {
	v := map[string]any{}
	if len(args) == 0 {
		return v, nil
	}
	return v, json.Unmarshal([]byte(strings.Join(args, " ")), &v)
}

func (a *actor) callTool(out io.Writer, args []string) error {
	arguments, err := jsonOf(args[1:])
	if err != nil {
		return err
	}
	var data json.RawMessage
	if err := a.client.call(args[0], arguments, &data); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", data)
	return nil
}

func (a *actor) ask(out io.Writer, args []string) error {
	params, err := jsonOf(args[1:])
	if err != nil {
		return err
	}
	var result json.RawMessage
	if err := a.client.request(args[0], params, &result); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", result)
	return nil
}

func (a *actor) review(_ io.Writer, args []string) (err error) {
	if len(args) == 2 {
		var prepared struct {
			ID  string `json:"reviewSessionId"`
			URL string `json:"reviewUrl"`
		}
		arguments := map[string]any{}
		if err := json.Unmarshal([]byte(args[1]), &arguments); err != nil {
			return err
		}
		if err := a.client.call(args[0], arguments, &prepared); err != nil {
			return err
		}
		a.id = prepared.ID
		a.page, err = openLink(prepared.URL)
	} else {
		a.id, a.page, err = a.prepare("10")
	}
	if err != nil {
		return err
	}
	a.shown, err = a.read(a.page)
	return err
}

func (a *actor) serves(io.Writer, []string) error {
	var status pagesStatus
	var err error
	if !double.Await(func() bool {
		err = a.client.call("read.get_server_status", map[string]any{}, &status)
		return err != nil || status.Pages == "served"
	}) {
		return errors.New("it never serves the pages")
	}
	return err
}

func (a *actor) leave(io.Writer, []string) error {
	_ = a.client.in.Close()
	gone, err := ended(a.client, unhurried)
	if !gone {
		return errors.New("the server keeps running")
	}
	return err
}

// crash kills the client and the server, to simulate a power failure.
func (a *actor) crash(io.Writer, []string) error {
	if err := a.client.child.Process.Kill(); err != nil {
		return err
	}
	<-a.client.wait()
	for _, name := range a.env {
		if dir, ok := strings.CutPrefix(name, dataDirVariable+"="); ok {
			endServer(dir)
		}
	}
	return nil
}

func (a *actor) bundle(out io.Writer, args []string) error {
	arguments, err := jsonOf(args)
	if err != nil {
		return err
	}
	if a.asked, err = a.askBundle(arguments); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", a.asked.Advice)
	return a.asked.answer("approve")
}

func (a *actor) step(io.Writer, []string) error {
	review, err := a.nextStep(&a.asked)
	if err != nil {
		return err
	}
	shown, err := a.ready(review)
	if err != nil {
		return err
	}
	return a.sign(review, shown)
}

func (a *actor) decline(io.Writer, []string) error {
	review, err := a.nextStep(&a.asked)
	if err != nil {
		return err
	}
	return review.post("/api/review/"+review.id+"/outcome", map[string]any{"outcome": "declined"}, nil)
}

func (a *actor) outcome(out io.Writer, _ []string) error {
	result, err := a.taskResult(a.asked)
	fmt.Fprintln(out, result)
	return err
}
