package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// mcpClient is a minimal MCP client. It runs the server as a child process, sends one request at a
// time over stdio, and counts notifications.
type mcpClient struct {
	child *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	pipe  io.Closer // underlies out
	next  int
	read  map[string]int // number of notifications read so far, by method

	waiting sync.Once
	gone    chan struct{} // closed when the child has ended
	end     error         // exit error; read after gone is closed
}

// wait returns a channel that is closed when the child has ended. It can be called more than once.
func (c *mcpClient) wait() <-chan struct{} {
	c.waiting.Do(func() {
		go func() {
			c.end = c.child.Wait()
			close(c.gone)
		}()
	})
	return c.gone
}

// startClientAs starts the server as the named client would, and initializes it.
func startClientAs(name, executable string, args, env []string, stderr io.Writer) (*mcpClient, error) {
	c, err := spawnClient(executable, args, env, stderr)
	if err != nil {
		return nil, err
	}
	if err := c.initialize(name); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// spawnClient starts the server without sending anything.
func spawnClient(executable string, args, env []string, stderr io.Writer) (*mcpClient, error) {
	child := exec.Command(executable, args...)
	child.Env = append(os.Environ(), env...)
	child.Stderr = stderr
	child.WaitDelay = time.Second // a grandchild may keep the pipes open
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	c := &mcpClient{child: child, in: in, out: bufio.NewScanner(out), pipe: out, read: map[string]int{},
		gone: make(chan struct{})}
	c.out.Buffer(nil, 4<<20)
	return c, nil
}

// initialize performs the MCP handshake under the given client name.
func (c *mcpClient) initialize(name string) error {
	var hello struct {
		ServerInfo struct{ Name, Version string } `json:"serverInfo"`
	}
	err := c.request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": name, "version": version},
	}, &hello)
	if err != nil {
		return err
	}
	return c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (c *mcpClient) send(frame map[string]any) error {
	line, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(line, '\n'))
	return err
}

// request sends one request and reads messages until its response arrives.
func (c *mcpClient) request(method string, params map[string]any, into any) error {
	c.next++
	id := c.next
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return err
	}
	for c.out.Scan() {
		var answer struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Code    int
				Message string
			} `json:"error"`
		}
		if err := json.Unmarshal(c.out.Bytes(), &answer); err != nil {
			return fmt.Errorf("the server wrote a line that is not JSON: %w", err)
		}
		if answer.ID == nil || *answer.ID != id {
			c.read[answer.Method]++
			continue
		}
		if answer.Error != nil {
			return fmt.Errorf("%s: %s (%d)", method, answer.Error.Message, answer.Error.Code)
		}
		return json.Unmarshal(answer.Result, into)
	}
	return errors.Join(fmt.Errorf("the server ended during %s", method), c.out.Err())
}

// refusal is the error of a tool. Text is the JSON document that the model reads.
type refusal struct{ Tool, Text string }

// Error returns the whole document.
func (r *refusal) Error() string { return r.Tool + " refused: " + r.Text }

// call calls a tool and decodes the data of its result. If the tool fails, the error is a *refusal.
func (c *mcpClient) call(tool string, arguments map[string]any, into any) error {
	var result struct {
		IsError           bool `json:"isError"`
		StructuredContent struct {
			Data json.RawMessage `json:"data"`
		} `json:"structuredContent"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments}, &result); err != nil {
		return err
	}
	if result.IsError {
		r := &refusal{Tool: tool, Text: "no text"}
		if len(result.Content) > 0 {
			r.Text = result.Content[0].Text
		}
		return r
	}
	return json.Unmarshal(result.StructuredContent.Data, into)
}

// stopTime limits how long a server may take to end.
const stopTime = 10 * time.Second

// abort kills a server that does not respond, which ends all waits for it.
func (c *mcpClient) abort() {
	_ = c.child.Process.Kill()
	_ = c.pipe.Close() // a grandchild may hold the other end open
}

// stop closes the server's input and interrupts the server, which would otherwise stay while the
// user has a fresh link. It kills a server that takes longer than stopTime.
func (c *mcpClient) stop() {
	_ = c.in.Close()
	_ = c.child.Process.Signal(os.Interrupt)
	select {
	case <-c.wait():
	case <-time.After(stopTime):
		_ = c.child.Process.Kill()
		<-c.wait()
	}
}
