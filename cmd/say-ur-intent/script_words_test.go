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

// scene holds a script's participants: AI clients, each with a server, and a chain.
type scene struct {
	clients map[string]*actor
	chain   *sandbox.Sandbox
}

type sceneKey struct{}

// actor is one AI client and its user, with the review on their screen.
type actor struct {
	*demo
	id      string
	page    *person
	shown   shownReview
	console *person // opened with the first change of a file
	asked   bundled
	planned string // the last plan that was set

	backend backend // a program of the user's
	env     []string
	chain   *sandbox.Sandbox // if the scene has one
	cursor  string           // what the user has read on the console
	session string           // the conversation that it follows
}

// scriptWords are the script commands in addition to exec and similar ones. A command returns when
// its work is done, so that no script has to sleep.
//
//	chain [FIELD=VALUE]       a chain that outlives every server; its node may lie
//	fault JSON                what goes wrong at the chain's node from now on
//	server NAME [FLAG]...     the client NAME starts a server
//	call NAME TOOL [JSON]     calls a tool; its data, or with ! the refusal's text
//	ask NAME METHOD [JSON]    any other request of MCP; its result
//	wallet NAME               the person opens the link and connects the test wallet
//	review NAME [TOOL JSON]   a review is asked for, opened and computed: the demo’s swap
//	sign NAME                 the person signs what the page shows
//	receipt NAME              the client waits for the result
//	bundle NAME JSON          a bundle of steps is asked for, opened and approved
//	step NAME                 the person opens the step whose turn it is, and signs it
//	decline NAME              the person opens that step, and declines
//	outcome NAME              the client waits for the result of the bundle
//	serves NAME               waits until the pages are this server's
//	leave NAME                the client closes the server's input, which ends it
//	crash NAME                the server is killed
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

// startNamed starts the server as the client of a name would.
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

// jsonOf reads an argument that is a JSON object, or none.
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

// crash kills the client and the server, as a power cut does.
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
	return a.asked.approve()
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
