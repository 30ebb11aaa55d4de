//go:build agents && unix

package agents_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The variables that turn the test's executable into a relay.
const (
	tapDir     = "AGENTS_TAP_DIR"     // where the frames are written
	tapProgram = "AGENTS_TAP_PROGRAM" // the server behind the relay
)

// frame is one line between a client and the server.
type frame struct {
	At       time.Time       `json:"at"`
	ToServer bool            `json:"toServer"`
	Line     json.RawMessage `json:"line"`
}

// relay starts the server and passes every line on, both ways, writing each down
// before it is passed on: what the client has read is in the file.
func relay(dir, server string, args []string) int {
	file, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.jsonl", os.Getpid())))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var mu sync.Mutex
	pass := func(in io.Reader, out io.WriteCloser, toServer bool) {
		defer func() { _ = out.Close() }()
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if len(line) > 0 {
				kept := json.RawMessage(strings.TrimSpace(string(line)))
				if !json.Valid(kept) {
					kept, _ = json.Marshal(string(line))
				}
				note, _ := json.Marshal(frame{time.Now(), toServer, kept})
				mu.Lock()
				_, _ = file.Write(append(note, '\n'))
				mu.Unlock()
				if _, err := out.Write(line); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	child := exec.Command(server, args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, tapDir+"=") {
			child.Env = append(child.Env, v)
		}
	}
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return 1
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return 1
	}
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go pass(os.Stdin, in, true)
	pass(out, os.Stdout, false)
	if err := child.Wait(); err != nil {
		return 1
	}
	return 0
}

// sent is what the server answered to a call of a tool.
type sent struct {
	Texts      []string        // of the text blocks
	Structured json.RawMessage // structuredContent
	IsError    bool
}

// tap reads what relays wrote down.
type tap struct{ dir string }

func (p tap) frames(t testing.TB) (all [][]frame) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var one []frame
		for line := range strings.Lines(string(raw)) {
			var f frame
			if json.Unmarshal([]byte(line), &f) == nil {
				one = append(one, f)
			}
		}
		all = append(all, one)
	}
	return all
}

// message is the part of a JSON-RPC message that the tests look at.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name       string
		ClientInfo struct{ Name, Version string }

		Capabilities json.RawMessage
		Meta         struct {
			Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	Result *struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
		ProtocolVersion   string
	}
	Error json.RawMessage
}

// last returns the newest answer to a call of the tool of this plain name.
func (p tap) last(t testing.TB, tool string) (s sent, ok bool) {
	t.Helper()
	var newest time.Time
	for _, frames := range p.frames(t) {
		calls := map[string]bool{}
		for _, f := range frames {
			var m message
			if json.Unmarshal(f.Line, &m) != nil {
				continue
			}
			id := string(m.ID)
			if f.ToServer {
				if m.Method == "tools/call" {
					calls[id] = plain(m.Params.Name) == tool
				}
				continue
			}
			if m.Method != "" || m.Result == nil || !calls[id] || f.At.Before(newest) {
				continue
			}
			newest, ok = f.At, true
			s = sent{Structured: m.Result.StructuredContent, IsError: m.Result.IsError}
			for _, c := range m.Result.Content {
				s.Texts = append(s.Texts, c.Text)
			}
		}
	}
	return s, ok
}

// length of all texts.
func (s sent) length() int { return len(strings.Join(s.Texts, "")) }

// plain returns a tool's name with underscores for whatever else is between its words.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '/' || r == ':' {
			return '_'
		}
		return r
	}, name)
}
