package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/tools"
)

// coinless is the flag that leaves the test account no coin.
var coinless = flagWord{"address-balance", "", "leave the test account no coin"}

// flagWord is one flag of a command, for completions and the manual. value is empty
// for a switch, FILE or DIR for a path, words with | between them for a choice, and any
// other capitals for free text.
type flagWord struct{ name, value, summary string }

const networkValues = "mainnet|sandbox"

// serveFlags are the flags of the server, which doctor and pages take too.
func serveFlags() []flagWord {
	return []flagWord{
		{"network", networkValues, "the chain; mainnet where nothing is said"},
		{"toolsets", strings.Join(tools.ToolsetNames(), "|"), "which tools are served; all unless said"},
		{"tool-names", "auto|dotted|underscore", "how tool names are listed"},
		{"open-browser", "ask|always|never", "who opens pages"},
		{"grpc-url", "URL", "the full node"},
		{"graphql-url", "URL", "the GraphQL service"},
		{"standalone", "", "serve in this process, and not by the server that clients share"},
		{"manual-test", "PROJECT", "open the socket to a project for 15 minutes, read-only, without a token"},
	}
}

// relayFlags are the flags of both ends of a relay.
func relayFlags() []flagWord {
	return []flagWord{{"nats", "URL", "your own NATS server"}, {"profile", "NAME", "the name of this connection, the same on both machines"},
		{"nats-creds", "FILE", "credentials for the NATS server"}}
}

// flagWords returns the flags of a command, those of its parts among them.
func flagWords(command string) []flagWord {
	json := flagWord{"json", "", "for programs"}
	name := flagWord{"name", "NAME", "name of the entry"}
	project := flagWord{"project", "DIR", "the file of a project instead of your own"}
	dry := flagWord{"dry-run", "", "show the difference and write nothing"}
	force := flagWord{"force", "", "replace an entry that install did not write"}
	switch command {
	case "", "pages":
		return serveFlags()
	case "share":
		return append(relayFlags(), serveFlags()...)
	case "connect":
		return append(relayFlags(), flagWord{"pair", "", "exchange keys with the other machine first"})
	case "doctor":
		return append([]flagWord{json}, serveFlags()...)
	case "tx":
		return []flagWord{json, {"signature", "BASE64", "a signature to check"}, {"commitment", "HEX", "the reviewed commitment"},
			{"address", "ADDRESS", "who must have signed"}, {"proof", "FILE", "a saved proof of the validators"}}
	case "sandbox":
		return []flagWord{{"listen", "ADDRESS", "where it listens"}, {"books", "FILE", "the books of its markets"},
			{"seed", "NUMBER", "of everything random"}, {"lie", "FIELD=VALUE", "change one field of every answer"}, coinless}
	case "demo":
		return []flagWord{{"once", "", "end after the last step"}, {"tour", "", "lead a person through the pages"}, coinless}
	case "install":
		return []flagWord{dry, {"network", networkValues, "the chain"}, name, {"tool-names", "dotted|underscore", "how tool names are listed"},
			project, force, {"no-check", "", "do not start the server afterwards"},
			{"connect", "URL", "use the program of another machine, over your own NATS server"}, relayFlags()[1], relayFlags()[2]}
	case "uninstall":
		return []flagWord{dry, name, project, force}
	case "update-check":
		return []flagWord{json, {"from", "URL", "a copy of the page of releases"}}
	case "status":
		return []flagWord{json, name, project}
	}
	return nil
}

// wordsAfter returns what can follow a command besides flags.
func wordsAfter(command string) []string {
	switch command {
	case "tx":
		return []string{"inspect", "verify"}
	case "install", "uninstall":
		names := []string{"all"}
		for _, c := range install.Clients() {
			names = append(names, c.Name)
		}
		return names
	case "completion":
		return shells
	}
	return nil
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

const completionUsage = `Prints what makes a shell complete this program's commands and flags.

  bash        say-ur-intent completion bash > ~/.local/share/bash-completion/completions/say-ur-intent
  zsh         say-ur-intent completion zsh > "${fpath[1]}/_say-ur-intent"
  fish        say-ur-intent completion fish > ~/.config/fish/completions/say-ur-intent.fish
  PowerShell  say-ur-intent completion powershell >> $PROFILE
`

// runCompletion prints the completions for one shell.
func runCompletion(p process, args []string) int {
	print := map[string]func(io.Writer){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion, "powershell": powershellCompletion}
	if len(args) == 1 && print[args[0]] != nil {
		print[args[0]](p.Stdout)
		return exitOK
	}
	if len(args) == 1 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help") {
		fmt.Fprint(p.Stdout, completionUsage)
		return exitOK
	}
	fmt.Fprintf(p.Stderr, "say-ur-intent completion: name one shell: %s\n%s", strings.Join(shells, ", "), completionUsage)
	return exitBadInput
}

// choices returns the values of a flag that takes some words alone.
func (f flagWord) choices() []string {
	if !strings.Contains(f.value, "|") {
		return nil
	}
	return strings.Split(f.value, "|")
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// flagsWritten returns the flags of a command as they are typed.
func flagsWritten(command string) []string {
	var all []string
	for _, f := range flagWords(command) {
		all = append(all, "--"+f.name)
	}
	return all
}

func bashCompletion(w io.Writer) {
	fmt.Fprint(w, `_say_ur_intent() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" words=""
  [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]] && command="${COMP_WORDS[1]}"
  case "$command $before" in
`)
	for _, c := range append([]string{""}, commandNames()...) {
		for _, f := range flagWords(c) {
			switch {
			case f.value == "FILE" || f.value == "DIR":
				fmt.Fprintf(w, "    %q) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", c+" --"+f.name)
			case f.choices() != nil:
				fmt.Fprintf(w, "    %q) COMPREPLY=($(compgen -W %q -- \"$word\")); return ;;\n", c+" --"+f.name, strings.Join(f.choices(), " "))
			case f.value != "":
				fmt.Fprintf(w, "    %q) return ;;\n", c+" --"+f.name)
			}
		}
	}
	fmt.Fprintln(w, "  esac\n  case \"$command\" in")
	fmt.Fprintf(w, "    \"\") words=%q ;;\n", strings.Join(append(commandNames(), flagsWritten("")...), " "))
	for _, c := range commandNames() {
		fmt.Fprintf(w, "    %s) words=%q ;;\n", c, strings.Join(append(wordsAfter(c), flagsWritten(c)...), " "))
	}
	fmt.Fprint(w, "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\ncomplete -o default -F _say_ur_intent say-ur-intent\n")
}

// quoted is a text in single quotes of sh, fish and PowerShell, of which none here
// holds any: a test says so.
func quoted(s string) string { return "'" + s + "'" }

func zshCompletion(w io.Writer) {
	arguments := func(c string) {
		fmt.Fprint(w, "_arguments")
		for _, f := range flagWords(c) {
			value := ""
			switch {
			case f.value == "FILE" || f.value == "DIR":
				value = ":" + strings.ToLower(f.value) + ":_files"
			case f.choices() != nil:
				value = ":value:(" + strings.Join(f.choices(), " ") + ")"
			case f.value != "":
				value = ":" + strings.ToLower(strings.ReplaceAll(f.value, "=", " ")) + ":"
			}
			fmt.Fprintf(w, " %s", quoted("--"+f.name+"["+f.summary+"]"+value))
		}
	}
	fmt.Fprint(w, "#compdef say-ur-intent\nif (( CURRENT == 2 )); then\n  local -a commands=(")
	for _, c := range commands() {
		fmt.Fprintf(w, "\n    %q", c.name+":"+c.summary)
	}
	fmt.Fprint(w, "\n  )\n  _describe command commands\n  ")
	arguments("")
	fmt.Fprint(w, "\n  return\nfi\ncase ${words[2]} in\n")
	for _, c := range commandNames() {
		fmt.Fprintf(w, "%s) ", c)
		arguments(c)
		if after := wordsAfter(c); after != nil {
			fmt.Fprintf(w, " %s", quoted("*:word:("+strings.Join(after, " ")+")"))
		} else {
			fmt.Fprint(w, " '*:file:_files'")
		}
		fmt.Fprintln(w, " ;;")
	}
	fmt.Fprint(w, "*) ")
	arguments("")
	fmt.Fprint(w, " ;;\nesac\n")
}

func fishCompletion(w io.Writer) {
	one := func(when, c string) {
		for _, f := range flagWords(c) {
			value := ""
			switch {
			case f.choices() != nil:
				value = " -x -a " + quoted(strings.Join(f.choices(), " "))
			case f.value == "FILE" || f.value == "DIR":
				value = " -r -F"
			case f.value != "":
				value = " -x"
			}
			fmt.Fprintf(w, "complete -c say-ur-intent -n %s -l %s -d %s%s\n", quoted(when), f.name, quoted(f.summary), value)
		}
	}
	for _, c := range commands() {
		fmt.Fprintf(w, "complete -c say-ur-intent -f -n '__fish_use_subcommand' -a %s -d %s\n", c.name, quoted(strings.ReplaceAll(c.summary, "'", "’")))
	}
	one("__fish_use_subcommand", "")
	for _, c := range commandNames() {
		when := "__fish_seen_subcommand_from " + c
		one(when, c)
		if after := wordsAfter(c); after != nil {
			fmt.Fprintf(w, "complete -c say-ur-intent -f -n %s -a %s\n", quoted(when), quoted(strings.Join(after, " ")))
		}
	}
}

func powershellCompletion(w io.Writer) {
	list := func(words []string) string { return "@('" + strings.Join(words, "','") + "')" }
	fmt.Fprint(w, "Register-ArgumentCompleter -Native -CommandName say-ur-intent -ScriptBlock {\n"+
		"  param($word, $line, $at)\n"+
		"  $all = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })\n"+
		"  $words = switch ($all | Where-Object { $_ -notlike '-*' } | Select-Object -First 1) {\n")
	for _, c := range commandNames() {
		if words := append(wordsAfter(c), flagsWritten(c)...); words != nil {
			fmt.Fprintf(w, "    '%s' { %s }\n", c, list(words))
		}
	}
	fmt.Fprintf(w, "    default { %s }\n", list(append(commandNames(), flagsWritten("")...)))
	fmt.Fprint(w, "  }\n  $words | Where-Object { $_ -like \"$word*\" } | ForEach-Object {\n"+
		"    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)\n  }\n}\n")
}
