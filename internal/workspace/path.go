package workspace

import (
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Reasons why a path is not opened. What is returned wraps one of them.
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

// Limits of a path, in bytes; those of the common file systems.
const (
	maxPath      = 1024
	maxComponent = 255
)

// split checks a relative path and returns its components; none for the root
// itself. It holds the rules of every operating system on every one: a project may
// be moved, and what is a device or a drive on one is a strange name on the others.
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

// plain reports whether a component names one entry of its directory everywhere.
func plain(part string) bool {
	if part == "" || part == "." || part == ".." || len(part) > maxComponent {
		return false
	}
	// Windows drops dots and spaces at the end, and a colon begins a stream of a file
	if last := part[len(part)-1]; last == '.' || last == ' ' || strings.ContainsAny(part, `:*?"<>|\`) {
		return false
	}
	for _, r := range part {
		// some file systems ignore format characters, so that .g<U+200C>it is .git
		if r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return false
		}
	}
	return !device(part) && !shortName(part)
}

var devices = []string{"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}

// device reports a name that Windows takes for a device, whatever its extension.
func device(part string) bool {
	base, _, _ := strings.Cut(fold(part), ".")
	base = strings.TrimRight(base, " ")
	if slices.Contains(devices, base) {
		return true
	}
	// the superscript digits count too, which fold makes plain ones
	return len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) &&
		base[3] >= '0' && base[3] <= '9'
}

// shortName reports a name like GIT~1, which on Windows may be another file's.
func shortName(part string) bool {
	base, _, _ := strings.Cut(part, ".")
	i := strings.LastIndexByte(base, '~')
	if i <= 0 || i == len(base)-1 {
		return false
	}
	return strings.Trim(base[i+1:], "0123456789") == ""
}

// fold makes names equal that some file system holds for equal.
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

// denied names and endings, folded. Directories deny all that is in them.
var (
	deniedNames = []string{".git", ".hg", ".svn", ".jj", ".bzr", "cvs", ".sui", "sui_config", ".ssh", ".gnupg",
		".aws", ".azure",
		".kube", ".docker", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", "client.yaml",
		"client.yml", "keystore",
		"sui.keystore", "sui.aliases", "credentials", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
		".gitconfig", ".gitmodules"}
	deniedEndings = []string{".keystore", ".pem", ".key", ".p12", ".pfx", ".p8", ".jks", ".crt", ".cer",
		".der", ".csr", ".asc",
		".gpg", ".pgp", ".ppk", ".kdbx", ".env"}
)

// Denied reports whether a path, with / between its parts, names something that is
// never read even inside a project.
func Denied(relative string) bool {
	for _, part := range strings.Split(fold(relative), "/") {
		if slices.Contains(deniedNames, part) || part == ".env" || strings.HasPrefix(part, ".env.") ||
			slices.Contains(deniedEndings, path.Ext(part)) || isTemporary(part) {
			return true
		}
	}
	return false
}
