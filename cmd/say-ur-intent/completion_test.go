package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestFlagWords compares the flags of completions and the manual with those that the
// program reads.
func TestFlagWords(t *testing.T) {
	var told []string
	for _, c := range append([]string{""}, commandNames()...) {
		for _, f := range flagWords(c) {
			told = append(told, f.name)
			if strings.ContainsAny(f.summary+f.value, `'"[]:\`) {
				t.Errorf("--%s of %q: %q cannot stand between quotes of every shell", f.name, c, f.summary)
			}
			var said bytes.Buffer
			p := process{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said, Getenv: func(string) string { return "" }}
			if c == "" || c == "sandbox" || c == "demo" || c == "pages" {
				continue // these go on with a flag that they know
			}
			args := []string{c, "--" + f.name}
			if f.value != "" {
				args = append(args, "x")
			}
			args = append(args, "--no-such-flag")
			if c == "tx" {
				args = slices.Insert(args, 1, map[bool]string{true: "inspect", false: "verify"}[f.name == "json"])
			}
			run(p, args)
			if strings.Contains(said.String(), "not defined: -"+f.name) {
				t.Errorf("%s does not know --%s: %s", c, f.name, &said)
			}
		}
	}
	read := regexp.MustCompile(`(?:flags|f)\.(?:Bool|String|Int64|Func|Var|BoolVar|StringVar|Int64Var)\((?:&[\w.]+, )?"([a-z-]+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range read.FindAllStringSubmatch(string(text), -1) {
			if found++; !slices.Contains(told, m[1]) {
				t.Errorf("%s reads --%s, of which completions and manual do not know", file, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d flags were found in the source", found)
	}
}

// TestBashCompletion asks a real bash.
func TestBashCompletion(t *testing.T) {
	long.Skip(t, "it starts a shell")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("not run: there is no bash here")
	}
	var script bytes.Buffer
	bashCompletion(&script)
	for line, want := range map[string]string{
		"say-ur-intent in":                 "install",
		"say-ur-intent install claude-c":   "claude-code",
		"say-ur-intent install --net":      "--network",
		"say-ur-intent --network sa":       "sandbox",
		"say-ur-intent doctor --network m": "mainnet",
		"say-ur-intent completion f":       "fish",
	} {
		words := strings.Split(line, " ")
		ask := script.String() + "\nCOMP_WORDS=(" + line + "); COMP_CWORD=" + string(rune('0'+len(words)-1)) + "; _say_ur_intent; echo \"${COMPREPLY[*]}\"\n"
		out, err := exec.Command(bash, "--norc", "-c", ask).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
}

// TestTyped: the name alone, typed in a terminal, explains itself; with flags, or
// started by a client, the program serves.
func TestTyped(t *testing.T) {
	var out, complaint bytes.Buffer
	p := process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaint, Getenv: func(string) string { return "" }, terminal: func() bool { return true }}
	if code := run(p, nil); code != exitOK || !strings.Contains(out.String(), "say-ur-intent demo") || complaint.Len() > 0 {
		t.Errorf("%d: %s%s", code, &out, &complaint)
	}
	if code := run(p, []string{"--network", "nowhere"}); code != exitBadInput {
		t.Errorf("flags are not read in a terminal: %d", code)
	}
}
