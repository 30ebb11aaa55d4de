//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// Script commands for source projects:
//
//	project NAME DIR KEY MODE   the user registers a folder on the settings page. In its
//	                            Published.toml, @DEEPBOOK is replaced by DeepBook's current package
//	unproject NAME KEY          the user removes the project
//	listed NAME TEXT            waits until the client is notified of a new list of tools that
//	                            contains TEXT, or with ! does not
//	inspect NAME                the client inspects the transaction of its last review
//	change NAME WORD JSON       the client requests a change and waits for its result; on the
//	                            console, the user chooses WORD: apply or leave

// wrote prepares a folder that a script wrote for being registered.
func wrote(dir string) error {
	file := filepath.Join(dir, "Published.toml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	id := registry.Packages()[0].ID.String()
	return os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "@DEEPBOOK", id)), 0o644)
}

func (a *actor) project(_ io.Writer, args []string) error {
	if err := wrote(args[0]); err != nil {
		return err
	}
	return a.setProject("project", map[string]any{"path": args[0], "key": args[1], "mode": args[2]})
}

func (a *actor) unproject(_ io.Writer, args []string) error {
	return a.setProject("mode", map[string]any{"key": args[0], "mode": ""})
}

func (a *actor) listed(_ io.Writer, args []string) error {
	text := args[len(args)-1]
	heard := a.client.read["notifications/tools/list_changed"]
	var list json.RawMessage
	var err error
	shown := double.Await(func() bool {
		err = a.client.request("tools/list", map[string]any{}, &list)
		return err != nil || strings.Contains(string(list), text) == (len(args) == 1) &&
			a.client.read["notifications/tools/list_changed"] > heard
	})
	if err == nil && !shown {
		err = fmt.Errorf("after %d changes of the list: %s", a.client.read["notifications/tools/list_changed"]-heard, list)
	}
	return err
}

// setProject posts a project action to the settings page.
func (a *actor) setProject(action string, body map[string]any) error {
	var link struct {
		URL string `json:"settingsUrl"`
	}
	if err := a.client.call("settings.create_local_settings_session", map[string]any{}, &link); err != nil {
		return err
	}
	page, err := openLink(link.URL)
	if err != nil {
		return err
	}
	return page.post("/api/settings/"+page.id+"/"+action, body, nil)
}

func (a *actor) inspect(out io.Writer, _ []string) error {
	var raw json.RawMessage
	if err := a.client.call("session.get_execution_result", map[string]any{"reviewSessionId": a.id}, &raw); err != nil {
		return err
	}
	digest := reportedDigest.FindSubmatch(raw)
	if digest == nil {
		return fmt.Errorf("no digest: %s", raw)
	}
	return a.callTool(out, []string{"read.inspect_sui_transaction", `{"digest":"` + string(digest[1]) + `"}`})
}

var reportedDigest = regexp.MustCompile(`"txDigest":"(\w+)"`)

func (a *actor) change(out io.Writer, args []string) error {
	if err := a.openConsole(); err != nil {
		return err
	}
	page := a.console
	arguments, err := jsonOf(args[1:])
	if err != nil {
		return err
	}
	var begun struct {
		Task string `json:"task_id"`
	}
	if err := a.client.call("workspace.apply_change", arguments, &begun); err != nil {
		return err
	}
	id, err := page.waitingChange()
	if err != nil {
		return err
	}
	if err := page.post("/api/console/"+page.id+"/change", map[string]any{"id": id, "apply": args[0] == "apply"},
		nil); err != nil {
		return err
	}
	return a.callTool(out, []string{"task.get", `{"task_id":"` + begun.Task + `","waitSeconds":20}`})
}

var applyButton = regexp.MustCompile(`data-action="apply" data-id="([a-z0-9_]+)"`)

// waitingChange waits until the console shows a change, and returns the ID of the change.
func (p *person) waitingChange() (id string, err error) {
	shown := double.Await(func() bool {
		var view []byte
		if view, err = p.console(); err != nil {
			return true
		}
		found := applyButton.FindSubmatch(view)
		if found != nil {
			id = string(found[1])
		}
		return found != nil
	})
	if !shown {
		err = errors.New("the console shows no change")
	}
	return id, err
}

// console returns the body of the console page.
func (p *person) console() ([]byte, error) {
	req, err := http.NewRequest(http.MethodGet, p.origin+"/api/console/"+p.id+"/view", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return body, err
}
