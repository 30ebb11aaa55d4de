//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// programs is the document whose commands are meant for other programs of the user.
const programs = "../../docs/AGENT_BACKENDS.md"

// curlWords are the script commands for that document:
//
//	curls NAME [CLIENT]       a new user creates the tokens and runs the document's commands in order
func curlWords() map[string]func(a *actor, out io.Writer, args []string) error {
	return map[string]func(a *actor, out io.Writer, args []string) error{"curls": (*actor).curls}
}

func (a *actor) curls(out io.Writer, args []string) error {
	home, err := os.MkdirTemp("", "curl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	const settings = "silent\nfail-with-body\nmax-time = 60\n"
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), []byte(settings), 0o600); err != nil {
		return err
	}
	env := append(os.Environ(), "CURL_HOME="+home)
	for name, scope := range map[string]string{
		"TOKEN": "ui-events", "BACKEND": "agent-backend", "FRONTEND": "agent-frontend",
	} {
		token, err := a.tokenFor(append(args, "mine")[0], scope)
		if err != nil {
			return err
		}
		env = append(env, name+"="+token)
	}
	env = append(env, "SERVER="+a.backend.origin)
	text, err := os.ReadFile(programs)
	if err != nil {
		return err
	}
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)\n```").FindAllStringSubmatch(string(text), -1) {
		answer, err := curl(m[1], env)
		fmt.Fprintln(out, answer)
		if err != nil {
			return fmt.Errorf("%s: %w: %s", m[1], err, answer)
		}
		var state struct {
			Session string `json:"session_id"`
			Cursor  string
		}
		if json.Unmarshal([]byte(answer), &state) == nil && state.Session != "" {
			env = append(env, "SESSION="+state.Session, "CURSOR="+state.Cursor)
		}
	}
	return nil
}

// tokenFor creates a token on the settings page.
func (a *actor) tokenFor(client, scope string) (string, error) {
	if err := a.makeKey(nil, []string{client}); err != nil {
		return "", err
	}
	var made struct{ Token string }
	err := a.backend.settings.post("/api/settings/"+a.backend.settings.id+"/token",
		map[string]any{"name": scope, "client": client, "scope": scope, "acts": scope == "agent-backend"}, &made)
	return made.Token, err
}

// curl runs one command. If the response is a stream, it returns the first event and ends the
// command.
func curl(command string, env []string) (string, error) {
	c := exec.Command("sh", "-c", "exec "+command)
	c.Env = env
	if !strings.Contains(command, "--no-buffer") {
		answer, err := c.CombinedOutput()
		return string(answer), err
	}
	stream, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	var frame strings.Builder
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		fmt.Fprintln(&frame, lines.Text())
		if strings.HasPrefix(lines.Text(), "data: ") {
			return frame.String(), nil
		}
	}
	return frame.String(), fmt.Errorf("the stream ended without a frame")
}
