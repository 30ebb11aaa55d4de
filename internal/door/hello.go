package door

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Protocol is the version of the first two lines. It must change only if old proxies can no longer
// be served.
const Protocol = 1

const (
	mostHello = 64 << 10
	helloTime = 2 * time.Second
	askTime   = 10 * time.Second // timeout of a response that is not MCP
)

// Kinds of connections.
const (
	KindMCP    = "mcp"    // followed by lines of MCP
	KindStatus = "status" // the server answers with its status in one line
	KindPages  = "pages"  // one line: a link to the home page
	KindRecord = "record" // lines with parts of files: the record of requests and its proofs
	KindStop   = "stop"   // one line; then the server exits, which closes the connection
	// KindShare serves other machines while the connection is open, and reports its state in lines.
	KindShare = "share"
)

// Hello is the first line, which the client sends.
type Hello struct {
	Protocol int    `json:"sui"`
	Version  string `json:"version"`
	Kind     string `json:"kind"`
	Network  string `json:"network"` // mainnet or sandbox
	// TakeOver means that the client has a newer version and holds the start lock. It starts its
	// own server when this one has ended.
	TakeOver bool `json:"take_over,omitempty"`
	Client   struct {
		PID int `json:"pid"`
	} `json:"client"`
	// Conversation is the ID of the client's conversation. A proxy keeps it across servers.
	Conversation string  `json:"conversation"`
	Session      Session `json:"session"`
	// Server holds the client's flags and environment variables that concern the server, by
	// variable name. An address may contain a secret.
	Server map[string]string `json:"server,omitempty"`
	Share  *Share            `json:"share,omitempty"`
	Record *Record           `json:"record,omitempty"`
}

// Record selects optional parts of an exported record.
type Record struct {
	Names bool `json:"names,omitempty"` // include names of people and programs
}

// Session holds settings from the client's command line and environment.
type Session struct {
	ToolNames   string            `json:"tool_names"`
	Toolsets    string            `json:"toolsets"`
	OpenBrowser string            `json:"open_browser"`
	Display     map[string]string `json:"display,omitempty"` // variables needed to start a browser
}

// Share configures how other machines are served.
type Share struct {
	URL         string `json:"url"` // URL of the NATS server
	Profile     string `json:"profile"`
	Credentials string `json:"credentials,omitempty"` // absolute file name
}

// Instructions for a rejected client.
const (
	DoRestart  = "restart_client" // restart the client with a newer program
	DoSettings = "settings"       // change the server's settings instead
	DoTakeOver = "take_over"      // start a server of the client's newer version
)

// Welcome is the server's response to a Hello.
type Welcome struct {
	Protocol int    `json:"sui"`
	OK       bool   `json:"ok"`
	Version  string `json:"version,omitempty"`
	PID      int    `json:"pid,omitempty"`
	// Reads lists the read-only tools. A proxy may repeat calls of these.
	Reads []string `json:"reads,omitempty"`
	Why   string   `json:"why,omitempty"` // a sentence explaining the refusal
	Do    string   `json:"do,omitempty"`
}

// ErrAbsent means that a data directory has no running server.
var ErrAbsent = errors.New("door: no server is running")

// Refused is the error for a client that the server rejects. Do is one of the Do constants.
type Refused struct{ Why, Do string }

func (r *Refused) Error() string { return r.Why }

// Ask sends a hello to the server of a data directory and returns its response, one line of JSON.
// It returns [ErrAbsent] if no server is running.
func Ask(dir string, hello Hello, now time.Time) (answer json.RawMessage, err error) {
	conn, err := dial(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	_, in, err := greet(conn, hello, now)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(now.Add(askTime))
	err = readLine(in, &answer)
	if hello.Kind == KindStop && err == nil {
		_, _ = in.ReadByte() // returns when the server's process has exited
	}
	return answer, err
}

// otherVersion refuses a hello or welcome with another protocol version.
const otherVersion = "The running Say Ur Intent server has another version. " +
	"Quit every AI client that uses it, then start them again."

// greet sends a hello on a new connection and reads the answer.
func greet(conn net.Conn, hello Hello, now time.Time) (Welcome, *bufio.Reader, error) {
	_ = conn.SetDeadline(now.Add(helloTime))
	if err := writeLine(conn, hello); err != nil {
		return Welcome{}, nil, err
	}
	in := bufio.NewReaderSize(conn, 64<<10)
	var w Welcome
	if err := readLine(in, &w); err != nil {
		return Welcome{}, nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	if !w.OK {
		return w, nil, &Refused{w.Why, w.Do}
	}
	if w.Protocol != Protocol {
		return w, nil, &Refused{otherVersion, DoRestart}
	}
	return w, in, nil
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// readLine reads exactly one line of JSON.
func readLine(in *bufio.Reader, v any) error {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostHello:
			return fmt.Errorf("door: the first line is longer than %d bytes", mostHello)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return err
		}
		return json.Unmarshal(bytes.TrimSpace(line), v)
	}
}
