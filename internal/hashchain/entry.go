package hashchain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// MaxEntry is the maximum size of an entry's text, in bytes.
const MaxEntry = 256 << 10

// Hash is a SHA-256 hash. Its text has 64 lower-case hexadecimal digits.
type Hash [sha256.Size]byte

// HashOf returns the hash of text.
func HashOf(text []byte) Hash { return sha256.Sum256(text) }

// String returns the hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the hexadecimal digits.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText accepts only the output of MarshalText.
func (h *Hash) UnmarshalText(text []byte) error {
	n, err := hex.Decode(h[:], text[:min(len(text), 2*len(h))])
	//mutant:never ./internal/hashchain TestHash
	if err != nil || n != len(h) || h.String() != string(text) {
		return fault.New(fault.InputInvalid, "A hash is 64 lower-case hexadecimal digits.")
	}
	return nil
}

const Begun = "begun" // Entry.What in entry 1 of a chain

// Beginning is the content of a chain's first entry.
type Beginning struct {
	Reason string `json:"reason"`
	// After is the head of the previous chain. It is nil for the first chain, and after all data
	// was erased.
	After *Head `json:"after,omitempty"`
}

// Draft is an entry that has no place in a chain yet.
type Draft struct {
	What  string
	About any // encoded as JSON
	// Names are names of people and programs, by field. The entry contains only commitments to
	// them.
	Names map[string]string
}

// Entry is an entry in a chain.
type Entry struct {
	Kind     string          `json:"kind"` // kindEntry
	Chain    Hash            `json:"chain"`
	Number   int64           `json:"number"` // counts from 1
	Previous Hash            `json:"previous"`
	At       time.Time       `json:"at"`
	What     string          `json:"what"`
	About    json.RawMessage `json:"about"`
	Names    map[string]Hash `json:"names,omitempty"`
}

// Head is the number of an entry and the hash of its text. The zero Head precedes the first entry
// of a chain.
type Head struct {
	Chain  Hash  `json:"chain"`
	Number int64 `json:"number"`
	Hash   Hash  `json:"hash"`
}

// Name discloses a name that an entry commits to. Commitment = SHA-256(salt ‖ name).
type Name struct {
	Kind   string `json:"kind"` // kindName
	Chain  Hash   `json:"chain"`
	Number int64  `json:"number"` // number of the entry
	Field  string `json:"field"`
	Salt   Hash   `json:"salt"`
	Name   string `json:"name"`
}

// Commitment returns the hash that the entry contains in place of the name.
func (n Name) Commitment() Hash { return HashOf(slices.Concat(n.Salt[:], []byte(n.Name))) }

// Link is a new entry: its head, its exact text, and the names that it commits to.
type Link struct {
	Head
	Text  []byte
	Names []Name
}

// Begin returns the first entry of a new chain.
func Begin(b Beginning, at time.Time, random io.Reader) (Link, error) {
	var h Head
	if _, err := io.ReadFull(random, h.Chain[:]); err != nil {
		return Link{}, noRandomness(err)
	}
	return h.Append(Draft{What: Begun, About: b}, at, random)
}

// Append returns the entry after h.
func (h Head) Append(d Draft, at time.Time, random io.Reader) (Link, error) {
	e := Entry{Kind: kindEntry, Chain: h.Chain, Number: h.Number + 1, Previous: h.Hash, At: at.UTC(), What: d.What}
	var err error
	if e.About, err = strictjson.Encode(d.About); err != nil {
		return Link{}, err
	}
	link := Link{Head: Head{Chain: e.Chain, Number: e.Number}}
	for field, name := range d.Names {
		n := Name{Kind: kindName, Chain: e.Chain, Number: e.Number, Field: field, Name: name}
		if _, err := io.ReadFull(random, n.Salt[:]); err != nil {
			return Link{}, noRandomness(err)
		}
		if e.Names == nil {
			e.Names = map[string]Hash{}
		}
		e.Names[field] = n.Commitment()
		link.Names = append(link.Names, n)
	}
	if link.Text, err = strictjson.Encode(e); err != nil {
		return Link{}, err
	}
	if len(link.Text) > MaxEntry {
		return Link{}, fault.New(fault.TooLarge, "An entry of the record has at most %d KiB.", MaxEntry>>10)
	}
	link.Hash = HashOf(link.Text)
	return link, nil
}

// Read parses the exact text of an entry.
func Read(text []byte) (Entry, Head, error) {
	e, err := strictjson.Decode[Entry](text)
	if err == nil && (e.Kind != kindEntry || e.Number < 1) {
		err = fault.New(fault.InputInvalid, "This is not an entry of a record.")
	}
	return e, Head{Chain: e.Chain, Number: e.Number, Hash: HashOf(text)}, err
}

func noRandomness(err error) error {
	return fault.Wrap(err, fault.InternalError, "This computer returned no random numbers, so nothing was recorded.")
}
