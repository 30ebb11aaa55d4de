package actions

import (
	"maps"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// material lists the members that contain transactions of other programs. They are never stored,
// and consist of encoded bytes by design.
var material = []string{"keysign_payload", "unsigned_tx_hex"}

// Screen rejects a request that contains a key, a recovery phrase or a password in any member. The
// error names neither the value nor the member.
func Screen(request []byte) error {
	tree, err := strictjson.Tree(request)
	if err != nil {
		return err
	}
	var t texts
	named := t.add(tree.Tree)
	// Names and values are separate lists, so that names cannot hide a recovery phrase by
	// separating its words.
	_, secret := screen.Find("request", [][]string{t.names, t.values}, nil)
	//mutant:never ./internal/actions TestSecrets
	if named || secret {
		return fault.New(fault.InputInvalid, "The request holds what looks like a key, a recovery phrase or a password. "+
			"Nothing was done and nothing was stored. Leave it out.").With("reason", "secret")
	}
	return nil
}

// texts contains the texts in a request and the names of its members.
type texts struct{ names, values []string }

// add collects the texts in a value. It returns true if a member's name suggests a secret. Complete
// addresses and coin types are not collected, because they can look like keys.
func (t *texts) add(v any) (named bool) {
	switch v := v.(type) {
	case string:
		t.values = append(t.values, v)
	case []any:
		return slices.ContainsFunc(v, t.add)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if secretName(name) {
				return true
			}
			if text, ok := v[name].(string); ok && innocent(name, text, v) {
				continue
			}
			t.names = append(t.names, name)
			if t.add(v[name]) {
				return true
			}
		}
	}
	return false
}

func secretName(name string) bool {
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
	return screen.ForbiddenName(name) || strings.HasSuffix(name, "password") || strings.HasSuffix(name, "passphrase") ||
		strings.HasSuffix(name, "seedphrase") || name == "secret" || name == "pin"
}

// innocent reports whether a text is the address or coin type that its member should contain.
func innocent(name, text string, beside map[string]any) bool {
	chain, _ := beside["chain"].(string)
	isAddress := func(chain string) bool {
		c, ok := book.FindChain(chain)
		_, good := c.Address(text)
		return ok && good
	}
	switch name {
	case "address":
		return isAddress(chain)
	case "from", "to":
		return isAddress(book.SuiChain) || isAddress("Ethereum")
	case "contract_address":
		_, err := sui.ParseCoinType(text)
		return err == nil || isAddress(chain)
	}
	return slices.Contains(material, name)
}
