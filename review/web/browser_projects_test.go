package web_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// projectDir creates a folder with a Move file.
func projectDir(t *testing.T) (dir, file string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "sources"), 0o755)
	}
	file = filepath.Join(dir, "sources", "math.move")
	err = errors.Join(err, os.WriteFile(file,
		[]byte("module a::math;\n\npublic fun double(n: u64): u64 {\n    n * 2\n}\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// local returns the service that changes files, over the rig's store.
func (r *rig) local() *workspace.Local {
	return workspace.NewLocal(workspace.Config{Registry: r.db, Changes: r.db, Now: time.Now})
}

var triple = workspace.ChangeRequest{Path: "sources/math.move", Search: "n * 2", Replace: "n * 3",
	Description: "Triples the amount."}

// propose requests a file change, and returns it and its result.
func (r *rig) propose(ctx context.Context, session string) (workspace.Change, chan error) {
	r.t.Helper()
	c, err := r.local().Propose(ctx, session, "my-vault", triple)
	if err != nil {
		r.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := r.local().Finish(ctx, c); done <- err }()
	return c, done
}

func holds(t *testing.T, file, text string) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(data), text)
}

// TestBrowserProjects registers a folder on the settings page, allows changes of its files,
// confirms one change on the console, declines another, and undoes the first.
func TestBrowserProjects(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	dir, file := projectDir(t)
	if err := r.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	shots := screenshotDir(t)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("Spending limits")
	b.unfold("projects", "project")
	b.waitText("Register the folder")
	b.fill(`[data-form="project"] [name="path"]`, "projects/nowhere")
	b.click(`[data-form="project"] button.main`)
	b.waitText("Write the whole path of the folder")
	b.fill(`[data-form="project"] [name="path"]`, dir)
	b.fill(`[data-form="project"] [name="key"]`, "my-vault")
	b.click(`[data-form="project"] button.main`)
	b.waitText("The project my-vault is registered")
	b.pictures(shots, "settings-project")
	b.eval(`(() => { const s = document.querySelector('[data-mode]'); s.value = 'confirm'; s.dispatchEvent(new Event('change', { bubbles: true })); return ''; })()`)
	b.waitText("It applies from now on")
	if all, err := r.db.Folders(t.Context()); err != nil || len(all) != 1 || all[0].Mode != workspace.Confirm ||
		all[0].Root != dir {
		t.Fatalf("%+v %v", all, err)
	}
	console := b.another()
	console.open(r.link(pagetoken.Console, r.db.Bus(t.Context())))
	console.waitText("Nothing waits for you")
	_, done := r.propose(t.Context(), r.db.Bus(t.Context()))
	console.waitText("A change of a file in your project my-vault")
	console.waitText("+ n * 3")
	console.pictures(shots, "console-change")
	console.click(`[data-action="apply"]`)
	if err := <-done; err != nil || !holds(t, file, "n * 3") {
		t.Errorf("applied: %v", err)
	}
	console.waitText("Nothing waits for you")
	b.unfold("projects", "changes")
	b.waitText("was applied")
	b.pictures(shots, "settings-project-changed")
	b.click(`[data-action="undo"]`)
	b.waitText("The file is as it was before the change")
	if !holds(t, file, "n * 2") {
		t.Error("undone, the file is another")
	}
	_, done = r.propose(t.Context(), "")
	console.waitText("+ n * 3")
	console.click(`[data-action="leave"]`)
	if err := <-done; !errors.Is(err, workspace.ErrDeclined) || !holds(t, file, "n * 2") {
		t.Errorf("declined: %v", err)
	}
	b.click(`[data-action="forget"]`)
	b.waitText("Nothing in its folder was changed")
	if all, err := r.db.Folders(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
	for _, tab := range []*tab{b, console} {
		for _, said := range tab.complaints() {
			if !strings.Contains(said, "400") { // the rejected path
				t.Error(said)
			}
		}
	}
}

func TestProjects(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	dir, file := projectDir(t)
	add := func(path, key, mode string) answer {
		return r.do("POST", "/api/settings/"+settingsID+"/project", token, fields{"path": path, "key": key, "mode": mode})
	}
	t.Run("only a folder that is a project's, by its own place", func(t *testing.T) {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		for name, path := range map[string]string{"relative": "sources", "top": "/", "home": home, "none": dir + "/none",
			"a file": file, "data": r.dir} {
			if a := add(path, "x", "read_only"); a.status < 400 || a.status >= 500 {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		for _, bad := range [][2]string{{"Not A Key", "read_only"}, {"good", "everything"}} {
			if a := add(dir, bad[0], bad[1]); a.status != http.StatusBadRequest {
				t.Errorf("%v: %d %s", bad, a.status, a.body)
			}
		}
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		if a := add(link, "linked", "read_only"); a.status != http.StatusOK {
			t.Fatal(a.body)
		}
		if all, err := r.db.Folders(t.Context()); err != nil || len(all) != 1 || all[0].Root != dir {
			t.Errorf("%+v %v", all, err)
		}
	})
	t.Run("a page of another kind registers nothing", func(t *testing.T) {
		if a := r.do("POST", "/api/settings/"+settingsID+"/project", consoleOf(r), fields{"path": dir, "key": "x",
			"mode": "auto"}); a.status != http.StatusUnauthorized {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

func TestProjectChanges(t *testing.T) {
	r := newRig(t, nil)
	dir, file := projectDir(t)
	err := r.db.AddFolder(t.Context(), workspace.Folder{Key: "my-vault", Root: dir, Mode: workspace.Confirm},
		func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	token := consoleOf(r)
	decide := func(id string) answer {
		return r.do("POST", "/api/console/"+r.db.Bus(t.Context())+"/change", token, fields{"id": id, "apply": true})
	}
	t.Run("a change of another client's conversation is neither shown nor decided here", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c, done := r.propose(ctx, "conv_other")
		if strings.Contains(r.consoleView(token), c.ID) {
			t.Error("it is shown")
		}
		if a := decide(c.ID); a.status != http.StatusConflict {
			t.Errorf("%d %s", a.status, a.body)
		}
		stop()
		<-done
	})
	t.Run("what hides in a change is shown", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c, err := r.local().Propose(ctx, r.db.Bus(t.Context()), "my-vault", workspace.ChangeRequest{Path: triple.Path,
			Search:  "n * 2",
			Replace: "n * 2 // \u202e\u2066 <b>"})
		if err != nil {
			t.Fatal(err)
		}
		if view := r.consoleView(token); !strings.Contains(view, "⟦U&#43;202E⟧⟦U&#43;2066⟧ &lt;b&gt;") {
			t.Error(view)
		}
		stop()
		_, _ = r.local().Finish(ctx, c)
	})
	t.Run("one that nobody waits for is told so, and not written", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c, done := r.propose(ctx, r.db.Bus(t.Context()))
		if !strings.Contains(r.consoleView(token), c.ID) {
			t.Error("it is not shown")
		}
		stop()
		<-done
		if a := decide(c.ID); a.status != http.StatusConflict || holds(t, file, "n * 3") {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}
