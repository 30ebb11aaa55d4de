package screen

import (
	"strings"
)

// Class is a kind of text that must not be taken in.
type Class string

// The classes, in the order in which they are looked for.
const (
	SuiKey     Class = "sui_private_key" // Bech32 with the human part suiprivkey, whole or in part
	WalletKey  Class = "wallet_key"      // another wallet's or program's private key format
	RawKey     Class = "raw_key"         // 16 to 65 bytes as hexadecimal, base64 or base58
	NumberKey  Class = "number_key"      // a key as a list of bytes, a long number or bits
	Phrase     Class = "recovery_phrase" // words, or their numbers, of one of ten BIP-39 lists
	Payload    Class = "encoded_payload" // 160 and more encoded characters: a transaction, a signature
	Term       Class = "forbidden_field" // the name of a field for keys, signatures or transactions
	AddressKey Class = "key_of_address"  // a value whose key pair owns an address of the person or of the text
)

// Field is one text of a document, with the path that names it. Typed marks a
// value of a fixed form (an address, an object id, a coin type, a time) that was
// checked by its own rule: it is not searched, but see Secrets.Owns.
type Field struct {
	Path, Text string
	Typed      bool
}

// Found says where something was found and what it looks like. It never holds
// the text. Path is empty where it shows only in several fields together.
type Found struct {
	Path  string
	Class Class
}

// Secrets finds secrets in text. It is made once (ten word lists are read) and
// may be used by many at the same time. Sources: BIP-39 word lists; SIP-15 for
// suiprivkey; the thresholds are measured, see the tests.
//
// What it cannot do: a raw key that is written exactly as an object id or a
// digest, and is called one, has nothing to tell it by, except Owns.
type Secrets struct {
	words  dictionary
	likely likely
	sui    suiCheck
}

// NewSecrets reads the word lists.
func NewSecrets() *Secrets {
	lists := wordLists()
	return &Secrets{newDictionary(lists), newLikely(lists), newSuiCheck()}
}

// Find gives the first thing that must not be taken in: field by field, then all
// fields joined in their order, with and without a space between. ok is false
// where nothing was found. Values that a text calls an object id or a digest are
// passed over and given as named: their holder asks Owns about them.
func (s *Secrets) Find(fields []Field) (found Found, named []string, ok bool) {
	var texts []string
	for _, f := range fields {
		if f.Typed || f.Text == "" {
			continue
		}
		text, ids := withoutIDs(f.Text)
		named = append(named, ids...)
		if class := s.search(text, true); class != "" {
			return Found{f.Path, class}, nil, true
		}
		texts = append(texts, text)
	}
	if len(named) > mostNamed {
		return Found{"", Payload}, nil, true
	}
	if len(texts) < 2 {
		return Found{}, named, false
	}
	if class := s.search(strings.Join(texts, " "), true); class != "" {
		return Found{"", class}, nil, true
	}
	// Encoded shapes are put together across spaces anyhow; words are not.
	if class := s.search(strings.Join(texts, ""), false); class != "" {
		return Found{"", class}, nil, true
	}
	return Found{}, named, false
}

// mostNamed bounds how many ids one document may quote in its texts.
const mostNamed = 16

// Within gives the class of one text alone, "" for an innocent one.
func (s *Secrets) Within(text string) Class {
	found, _, _ := s.Find([]Field{{Text: text}})
	return found.Class
}

// search looks at every view of a text. encoded says whether to look for keys
// in letters and digits too, or for words and Bech32 alone.
func (s *Secrets) search(text string, encoded bool) Class {
	for _, view := range views(text) {
		if class := s.look(view, encoded); class != "" {
			return class
		}
	}
	// Digits for letters spoil what is encoded, and words alone are written so.
	for _, one := range []byte("il") {
		if view := unleet(plain(text), one); view != "" {
			if class := s.look(view, false); class != "" {
				return class
			}
		}
	}
	return ""
}

func (s *Secrets) look(view string, encoded bool) Class {
	lower := strings.ToLower(view)
	if s.sui.suiKey(lower) {
		return SuiKey
	}
	if walletKey(view, lower) {
		return WalletKey
	}
	if encoded {
		for _, judge := range []func(string) Class{hexKey, payload, s.baseKey, numberKey} {
			if class := judge(view); class != "" {
				return class
			}
		}
	}
	if s.words.phrase(lower) || (encoded && indexPhrase(view)) {
		return Phrase
	}
	if term(view, lower) {
		return Term
	}
	return ""
}
