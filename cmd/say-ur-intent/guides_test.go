//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"image/gif"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// guides are the documents whose commands and JSON are run by these tests.
var guides = []string{"README.md", "CONTRIBUTING.md", "docs/GUIDE_TRADERS.md", "docs/GUIDE_AGENTS.md",
	"docs/GUIDE_MOVE.md",
	"docs/TROUBLESHOOTING.md", "docs/MCP_SETUP.md", "docs/AI_CLIENTS.md", "docs/COMMAND_LINE.md", "docs/FAQ.md",
	"docs/RELEASES.md", "packaging/npm/README.md"}

// ofOthers are commands of other programs. They are not run here, and neither is the go command,
// which cannot run twice. make dist-check tests the npm package.
var ofOthers = []string{"npm install --global say-ur-intent", "go test", "sha256sum --check", "cosign verify-blob",
	"gh attestation verify",
	"xattr -d com.apple.quarantine"}

// blocks returns the fenced blocks of one kind.
func blocks(t *testing.T, page, kind string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
	}
	return found
}

// commandsIn returns the commands of a page without their comments.
func commandsIn(t *testing.T, page string) []string {
	var all []string
	for _, block := range blocks(t, page, "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, " #")
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, strings.TrimPrefix(line, "npx -y "))
			}
		}
	}
	return all
}

func TestGuidesCommands(t *testing.T) {
	long.Skip(t, "it starts the program")
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range guides {
		home := t.TempDir()
		t.Cleanup(func() { endServer(filepath.Join(home, "data")) })
		if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, line := range commandsIn(t, page) {
			args := strings.Fields(strings.TrimPrefix(line, "bin/"))
			switch {
			case args[0] == "say-ur-intent":
				ran++
				tryCommand(t, page, home, args[1:])
			case args[0] == "make":
				if !regexp.MustCompile(`(?m)^` + args[1] + `:`).Match(makefile) {
					t.Errorf("%s: there is no target %s", page, args[1])
				}
			case !slices.ContainsFunc(ofOthers, func(o string) bool { return strings.HasPrefix(line, o) }):
				t.Errorf("%s: nobody knows whether %q works", page, line)
			}
		}
	}
	if ran < 20 {
		t.Errorf("only %d commands were found", ran)
	}
}

// aCommand limits how long one command may run. A whole demo is one command, which takes long on a
// busy machine.
const aCommand = 5 * time.Minute

// tryCommand runs a command from a page with its own home directory and no outside services.
func tryCommand(t *testing.T, page, home string, args []string) {
	t.Helper()
	sandboxed := slices.Contains(args, "sandbox") || len(args) > 0 && args[0] == "demo"
	if len(args) > 0 && args[0] == "update-check" {
		args = append(args, "--from", "http://127.0.0.1:9")
	}
	c := exec.Command("/proc/self/exe", args...)
	if executable, err := os.Executable(); err == nil {
		c.Path = executable
	}
	c.Dir = "../.."
	c.Env = append(os.Environ(), asProgram+"=1", "HOME="+home, "XDG_CONFIG_HOME=", "DISPLAY=", "WAYLAND_DISPLAY=",
		"SAY_UR_INTENT_DATA_DIR="+filepath.Join(home, "data"))
	if !sandboxed {
		const silent = "http://127.0.0.1:9"
		c.Env = append(c.Env, "SUI_GRPC_URL="+silent, "SUI_GRAPHQL_URL="+silent+"/graphql", "DEEPBOOK_INDEXER_URL="+silent,
			"FLOWX_QUOTER_URL="+silent)
	}
	out := &said{first: make(chan struct{})}
	c.Stdout, c.Stderr = out, out
	stays := len(args) == 0 || args[0] == "sandbox" || strings.HasPrefix(args[0], "--") ||
		args[0] == "demo" && !slices.Contains(args, "--once")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Wait() }()
	late := time.AfterFunc(aCommand, func() { _ = c.Process.Kill() })
	defer late.Stop()
	if stays && len(args) > 0 && !strings.HasPrefix(args[0], "--") {
		select {
		case <-out.first:
			_ = c.Process.Signal(syscall.SIGINT)
		case <-ended:
		}
	} // without input, a server ends on its own
	<-ended
	code := c.ProcessState.ExitCode()
	good := code == exitOK
	switch {
	case len(args) > 0 && args[0] == "doctor":
		good = code == exitOK || code == exitUnreachable
	case len(args) > 0 && args[0] == "update-check":
		good = code == exitUnreachable
	}
	if !good {
		t.Errorf("%s: say-ur-intent %s ends with %d: %s", page, strings.Join(args, " "), code, out.text())
	}
}

// said records a program's output, and closes first on the first write.
type said struct {
	buffer bytes.Buffer
	first  chan struct{}
}

func (s *said) Write(p []byte) (int, error) {
	if s.buffer.Len() == 0 {
		close(s.first)
	}
	return s.buffer.Write(p)
}

func (s *said) text() string { return s.buffer.String() }

func TestGuidesJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := newTour(t, &out)
	if err := d.start(); err != nil {
		t.Fatal(err)
	}
	if err := d.connect(); err != nil {
		t.Fatal(err)
	}
	started, called := 0, 0
	for _, page := range guides {
		for _, text := range blocks(t, page, "json") {
			var block struct {
				Servers map[string]struct {
					Command string
					Args    []string
				} `json:"mcpServers"`
				Name      string
				Arguments map[string]any
			}
			if err := json.Unmarshal([]byte(text), &block); err != nil {
				t.Errorf("%s: %v in %s", page, err, text)
				continue
			}
			for _, s := range block.Servers {
				started++
				if !strings.HasSuffix(s.Command, "/say-ur-intent") {
					t.Errorf("%s: it starts %s", page, s.Command)
				}
				executable, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				c, err := startClient(executable, s.Args, []string{asProgram + "=1", "SAY_UR_INTENT_DATA_DIR=" + shelter(t),
					"SUI_GRPC_URL=", "SUI_GRAPHQL_URL=http://127.0.0.1:9/graphql"}, &out)
				if err != nil {
					t.Errorf("%s: %v", page, err)
					continue
				}
				c.stop()
			}
			if block.Name != "" {
				called++
				if err := d.client.call(block.Name, block.Arguments, new(json.RawMessage)); err != nil {
					t.Errorf("%s: %v", page, err)
				}
			}
			if len(block.Servers) == 0 && block.Name == "" {
				t.Errorf("%s: this JSON is nothing that is tried: %s", page, text)
			}
		}
	}
	if started < 3 || called < 5 {
		t.Errorf("only %d configurations and %d calls were found", started, called)
	}
}

// TestGuidesWords checks that everything the pages mention exists, that the README lists every
// client, and that the troubleshooting page lists exactly the checks of doctor.
func TestGuidesWords(t *testing.T) {
	for _, page := range guides {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`say-ur-intent ([a-z][a-z-]*)").FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(commandNames(), m[1]) {
				t.Errorf("%s: there is no command %s", page, m[1])
			}
		}
		switch page {
		case "docs/AI_CLIENTS.md":
			for _, c := range install.Clients() {
				if !strings.Contains(string(text), "| "+c.Title+" | `say-ur-intent install "+c.Name+"`") {
					t.Errorf("%s does not say how to install for %s", page, c.Title)
				}
			}
		case "docs/COMMAND_LINE.md":
			for _, name := range commandNames() {
				if !strings.Contains(string(text), "say-ur-intent "+name) && name != "connect" && name != "help" {
					t.Errorf("%s does not have the command %s", page, name)
				}
			}
		}
	}
	page, err := os.ReadFile("../../docs/TROUBLESHOOTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, pattern := range []string{"doctor*.go", "answer.go", "status.go", "../../store/*.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, "_test.go") {
				source.Write(text)
			}
		}
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| (`[a-z]+`|a client's name) \\| (.*?) \\|").FindAllStringSubmatch(string(page), -1) {
		rows[strings.Trim(m[1], "`")] = true
		for _, words := range regexp.MustCompile(`\*([^*]+)\*`).FindAllStringSubmatch(m[2], -1) {
			if !strings.Contains(source.String(), words[1]) {
				t.Errorf("nothing says %q of %s", words[1], m[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`d\.(?:warn|fail|without|asked)\((?:ctx, )?"([a-z]+)"`).FindAllStringSubmatch(source.String(), -1) {
		if !rows[m[1]] {
			t.Errorf("troubleshooting does not know the doctor's word %s", m[1])
		}
	}
	if len(rows) < 12 {
		t.Errorf("only %v was found", rows)
	}
}

// TestReadmePicture checks that the README's picture is small and animated.
func TestReadmePicture(t *testing.T) {
	file, err := os.Open("../../docs/tour.gif")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || info.Size() > 1_500_000 {
		t.Errorf("%v: %v", info, err)
	}
	picture, err := gif.DecodeAll(file)
	if err != nil || len(picture.Image) < 10 || picture.Config.Width != 960 {
		t.Errorf("it has %d pictures: %v", len(picture.Image), err)
	}
}

// TestEveryPageIsReached checks that links lead from the README to all pages, and that no link is
// broken.
func TestEveryPageIsReached(t *testing.T) {
	root := filepath.Join("..", "..")
	reached, next := map[string]bool{}, []string{"README.md"}
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for len(next) > 0 {
		page := next[0]
		next = next[1:]
		if reached[page] {
			continue
		}
		reached[page] = true
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Error(err)
			continue
		}
		if filepath.Ext(page) != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			next = append(next, filepath.Join(filepath.Dir(page), m[1]))
		}
	}
	for dir, least := range map[string]int{"docs": 20, "docs/tools": 60} {
		pages, err := filepath.Glob(filepath.Join(root, dir, "*.md"))
		if err != nil || len(pages) < least {
			t.Fatal(pages, err)
		}
		for _, page := range pages {
			if name := filepath.Join(dir, filepath.Base(page)); !reached[name] {
				t.Errorf("no link leads to %s", name)
			}
		}
	}
}

// TestReadme checks that the README is short, and that it says so as long as there is no release.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 120 {
		t.Errorf("%d lines", lines)
	}
	tags, err := exec.Command("git", "tag", "--list", "v*").Output()
	if err != nil {
		t.Skip("not run: this is no git checkout: ", err)
	}
	if released := len(tags) > 0; released == strings.Contains(string(text), "not released yet") {
		t.Errorf("released is %v, and the README says otherwise", released)
	}
}
