package screen

import "strings"

// Member names that must not occur in anything the program sends: names that end in one of
// forbiddenEndings, and names that begin or end with one of forbiddenEdges. Case is ignored. The
// types already exclude such members; this is a second check.
var (
	forbiddenEndings = []string{"bytes", "signature", "sessiontoken", "reviewtoken", "wallettoken", "fragmenttoken",
		"tokenhash", "privatekey", "secretkey", "seed", "mnemonic"}
	forbiddenEdges = []string{"serialized", "signable"}
)

// ForbiddenMember returns the name of a member, anywhere in a value of maps, slices and scalars,
// that denotes transaction material or a secret, or "".
func ForbiddenMember[V any](value V) string { return forbiddenIn(value) }

func forbiddenIn(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if ForbiddenName(key) {
				return key
			}
			if name := forbiddenIn(inner); name != "" {
				return name
			}
		}
	case []any:
		for _, inner := range v {
			if name := forbiddenIn(inner); name != "" {
				return name
			}
		}
	}
	return ""
}

// ForbiddenName reports whether a member name denotes transaction material or a secret.
func ForbiddenName(key string) bool {
	key = strings.ToLower(key)
	for _, word := range forbiddenEndings {
		if strings.HasSuffix(key, word) {
			return true
		}
	}
	for _, word := range forbiddenEdges {
		if strings.HasPrefix(key, word) || strings.HasSuffix(key, word) {
			return true
		}
	}
	return false
}
