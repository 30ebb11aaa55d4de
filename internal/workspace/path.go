package workspace

import (
	"errors"
	"path"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Reasons for not opening a path. Errors wrap one of them.
var (
	ErrPath   = errors.New("not a relative path inside the project")
	ErrDenied = errors.New(
		"files of this kind are never read: keys, environments, version control, client configuration")
	ErrLink     = errors.New("links are not followed")
	ErrNotExist = errors.New("no such file")
	ErrNotFile  = errors.New("not a regular file")
	ErrTooLarge = errors.New("larger than 2 MiB")
	ErrBinary   = errors.New("not a text")
	ErrChanged  = errors.New("changed while it was opened")
)

// Limits on a path in bytes, which are those of common file systems.
const (
	maxPath      = 1024
	maxComponent = 255
)

// split checks a relative path and returns its components. The root has none. It applies the rules
// of all operating systems, because a project may be moved, and a name that is a device or a drive
// on one system is an ordinary name on another.
func split(relative string) ([]string, error) {
	p := strings.ReplaceAll(relative, `\`, "/")
	switch {
	case p == "" || p == ".":
		return nil, nil
	case len(p) > maxPath, strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"):
		return nil, ErrPath
	}
	parts := strings.Split(strings.TrimPrefix(strings.TrimSuffix(p, "/"), "./"), "/")
	for _, part := range parts {
		if !plain(part) {
			return nil, ErrPath
		}
	}
	if Denied(strings.Join(parts, "/")) {
		return nil, ErrDenied
	}
	return parts, nil
}

// plain reports whether a component is an ordinary name of a directory entry on every system.
func plain(part string) bool {
	if part == "" || part == "." || part == ".." || len(part) > maxComponent {
		return false
	}
	// Windows ignores dots and spaces at the end. A colon begins the name of a file's alternate
	// stream.
	if last := part[len(part)-1]; last == '.' || last == ' ' || strings.ContainsAny(part, `:*?"<>|\`) {
		return false
	}
	for _, r := range part {
		// Some file systems ignore format characters, so .g<U+200C>it could be .git.
		if r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return false
		}
	}
	return !device(part) && !shortName(part)
}

var devices = []string{"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}

// device reports whether Windows treats a name as a device, which does not depend on its extension.
func device(part string) bool {
	base, _, _ := strings.Cut(fold(part), ".")
	base = strings.TrimRight(base, " ")
	if slices.Contains(devices, base) {
		return true
	}
	// Superscript digits count as digits here. fold has converted them.
	return len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) &&
		base[3] >= '0' && base[3] <= '9'
}

// shortName reports whether a name has the form GIT~1, which on Windows may be an alias of another
// file.
func shortName(part string) bool {
	base, _, _ := strings.Cut(part, ".")
	i := strings.LastIndexByte(base, '~')
	if i <= 0 || i == len(base)-1 {
		return false
	}
	return strings.Trim(base[i+1:], "0123456789") == ""
}

// fold maps names that some file system treats as equal to the same text.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return cases.Fold().String(norm.NFKC.String(s))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Folded names and endings that are denied. Everything in a denied directory is denied too.
var (
	deniedNames = []string{".git", ".hg", ".svn", ".jj", ".bzr", "cvs", ".sui", "sui_config", ".ssh", ".gnupg", ".age",
		".aws", ".azure", ".gcloud", ".kube", ".docker", ".dockercfg", "kubeconfig", ".netrc", "_netrc", ".npmrc", ".yarnrc",
		".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".boto", ".s3cfg", ".vault-token", ".terraformrc", "terraform.tfvars",
		".git-credentials", ".gitconfig", ".gitmodules", ".dev.vars", ".direnv", "dotenv", "client.yaml", "client.yml",
		"id.json",
		"keystore", "keyring", "keychain", "keypair", "keypairs", "sui.keystore", "sui.aliases", "walrus.keystore",
		"credentials",
		"auth.json", "oauth_creds.json", "service-account.json", "service_account.json", "wallet.dat", "wallet.json",
		"secrets",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss", ".bash_history", ".zsh_history"}
	deniedEndings = []string{".keystore", ".keypair", ".keyring", ".keychain", ".pem", ".key", ".priv", ".private",
		".secret",
		".secrets", ".seed", ".mnemonic", ".wallet", ".p12", ".pfx", ".p8", ".pk8", ".jks", ".jceks", ".bcfks", ".crt",
		".cer",
		".der", ".csr", ".asc", ".gpg", ".pgp", ".ppk", ".kdb", ".kdbx", ".age", ".env", ".tfvars", ".tfstate", ".ovpn"}
	// deniedWords mark a file that contains keys, wherever they are in its name.
	deniedWords = []string{"keystore", "keystores", "keypair", "keypairs", "mnemonic", "mnemonics", "credentials",
		"secret", "secrets", "private key", "private keys", "secret key", "seed phrase", "recovery phrase", "privkey"}
	// sources are extensions of text files. Words in the names of such files say what they are
	// about, not that they contain a key.
	sources = []string{".move", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".rs", ".go", ".py", ".sol",
		".md", ".mdx", ".html", ".css", ".java", ".kt", ".swift", ".c", ".h", ".cpp"}
)

// Denied reports whether a slash-separated path must never be read, even in a project.
func Denied(relative string) bool {
	return slices.ContainsFunc(strings.Split(fold(relative), "/"), deniedPart)
}

// deniedPart checks one folded component of a path. It also checks it without each of its
// extensions, because copies have additional ones. A source file is denied only by its complete
// name.
func deniedPart(part string) bool {
	if isTemporary(part) || strings.HasPrefix(part, ".env") {
		return true
	}
	source := slices.Contains(sources, path.Ext(part))
	for name := strings.TrimLeft(part, "#"); name != ""; name = shorter(name) {
		//mutant:never ./internal/workspace TestFilesThatAreDenied
		if slices.Contains(deniedNames, name) || slices.Contains(deniedNames, strings.TrimPrefix(name, ".")) && !source ||
			slices.Contains(deniedEndings, path.Ext(name)) {
			return true
		}
		if source {
			break
		}
	}
	words := " " + strings.Join(strings.FieldsFunc(part, func(r rune) bool { return r < 'a' || r > 'z' }), " ") + " "
	return !source && slices.ContainsFunc(deniedWords, func(w string) bool { return strings.Contains(words, " "+w+" ") })
}

// shorter returns a name without its last extension, or "" if it has none.
func shorter(name string) string {
	i := strings.LastIndexAny(name, ".~- _(+@,#")
	return name[:max(i, 0)]
}

// Folded names of files that other programs execute or read instructions from.
var (
	executedFolders = []string{".github", ".gitlab", ".circleci", ".husky", ".githooks", ".vscode", ".idea", ".zed",
		".devcontainer",
		".claude", ".cursor", ".codex", ".gemini", ".windsurf"}
	executedNames = []string{".mcp.json", ".envrc", ".cursorrules", ".pre-commit-config.yaml", ".gitlab-ci.yml",
		".gitattributes",
		"lefthook.yml", "lefthook.yaml", "package.json", "makefile", "gnumakefile", "justfile", "taskfile.yml", "jenkinsfile",
		"dockerfile", "claude.md", "agents.md"}
	executedEndings = []string{".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".command"}
)

// Executed reports whether a slash-separated path names a file that other programs execute or read
// instructions from.
func Executed(relative string) bool {
	parts := strings.Split(fold(strings.ReplaceAll(relative, `\`, "/")), "/")
	name := parts[len(parts)-1]
	return slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool { return slices.Contains(executedFolders, p) }) ||
		slices.Contains(executedNames, name) || slices.Contains(executedEndings, path.Ext(name))
}

// executes reports whether other programs execute a file, according to its name or its mode.
func (p *Project) executes(relative string) bool {
	if Executed(relative) {
		return true
	}
	w, err := p.open(relative)
	if err != nil {
		return false
	}
	defer w.close()
	info, err := entry(w.at, w.name)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o111 != 0
}
