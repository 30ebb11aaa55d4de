package relay

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// folder is the place of profiles in the data directory.
const folder = "remote"

// Profile is a name's keys in a data directory. The side that shares and the side that
// connects have a file each, so that both can be on one machine.
type Profile struct {
	Name string
	Own  Keys
	// Peer is the other side's key, on the side that connects; nil before pairing.
	Peer *remotes.Key
	// SeenAt is when the other side was last heard of.
	SeenAt time.Time

	path string
}

// Keys are one side's keys.
type Keys struct{ Public, Private remotes.Key }

// kept is a profile's file.
type kept struct {
	Private string    `json:"private"`
	Public  string    `json:"public"`
	Peer    string    `json:"peer,omitempty"`
	SeenAt  time.Time `json:"seenAt,omitzero"`
}

// Side says which end of a profile a file belongs to.
type Side string

// The sides.
const (
	Sharing    Side = "share"
	Connecting Side = "connect"
)

// OpenProfile reads a profile of a data directory, and makes its keys where there are
// none. Its files are this user's alone; one that others may read is refused.
func OpenProfile(dir string, side Side, name string) (*Profile, error) {
	if err := remotes.CheckProfile(name); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
		return nil, err
	}
	p := &Profile{Name: name, path: filepath.Join(dir, folder, string(side)+"-"+name+".json")}
	text, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		public, private, err := box.GenerateKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		p.Own = Keys{*public, *private}
		return p, p.Save()
	}
	if err != nil {
		return nil, err
	}
	if err := private(p.path); err != nil {
		return nil, err
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("the profile %s is damaged: %w", p.path, err)
	}
	if p.Own.Private, err = remotes.ParseKey(k.Private); err == nil {
		p.Own.Public, err = remotes.ParseKey(k.Public)
	}
	if err == nil && k.Peer != "" {
		p.Peer = new(remotes.Key)
		*p.Peer, err = remotes.ParseKey(k.Peer)
	}
	if err != nil {
		return nil, fmt.Errorf("the profile %s is damaged: %w", p.path, err)
	}
	p.SeenAt = k.SeenAt
	return p, nil
}

// Save writes the profile. A process that ends in the middle leaves the file as it was.
func (p *Profile) Save() error {
	k := kept{Private: p.Own.Private.String(), Public: p.Own.Public.String(), SeenAt: p.SeenAt}
	if p.Peer != nil {
		k.Peer = p.Peer.String()
	}
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return writePrivate(p.path, text)
}

// writePrivate replaces a file of this user's alone.
func writePrivate(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // made with 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// spoken is the alphabet of short codes, without letters that look like digits.
var spoken = base32.NewEncoding("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").WithPadding(base32.NoPadding)

// half is what one side contributes to a pairing.
type half struct {
	Key   remotes.Key
	Nonce [32]byte
}

// commitment binds a side to its half before it has seen the other's.
func (h half) commitment(side Side) [32]byte {
	return sha256.Sum256(append(append([]byte("say-ur-intent pairing 1 "+string(side)+" "), h.Key[:]...), h.Nonce[:]...))
}

// codeOf returns the short code over both halves: 30 bits, of which nobody could choose
// any, because each side was committed before the other was shown.
func codeOf(connecting, sharing half) string {
	sum := sha256.New()
	sum.Write([]byte("say-ur-intent code 1 "))
	for _, h := range []half{connecting, sharing} {
		sum.Write(h.Key[:])
		sum.Write(h.Nonce[:])
	}
	code := spoken.EncodeToString(sum.Sum(nil))
	return code[:3] + "-" + code[3:6]
}

// pairSubject is where a profile is asked to pair. helloSubject is where those who were
// paired open connections: it belongs to the key, so that two persons who chose one
// profile name do not meet.
func pairSubject(profile string) string { return "sayurintent.pair." + profile }

func helloSubject(k remotes.Key) string {
	sum := sha256.Sum256(append([]byte("say-ur-intent subject 1 "), k[:]...))
	return "sayurintent.hello." + hex.EncodeToString(sum[:16])
}

func upSubject(conn string) string   { return "sayurintent.up." + conn }
func downSubject(conn string) string { return "sayurintent.down." + conn }

// Lists reads the answers that Keep kept; none where there are none.
func (p *Profile) Lists() (map[string]json.RawMessage, error) {
	text, err := os.ReadFile(p.listsPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var lists map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &lists)
	}
	return lists, err
}

// Keep keeps when the other side was last heard of, and its lists, for the time when it
// is away. What cannot be written is not kept: a later process knows less.
func (p *Profile) Keep(seen time.Time, lists map[string]json.RawMessage) {
	p.SeenAt = seen
	_ = p.Save()
	if text, err := json.Marshal(lists); err == nil {
		_ = writePrivate(p.listsPath(), text)
	}
}

func (p *Profile) listsPath() string { return strings.TrimSuffix(p.path, ".json") + ".lists.json" }
