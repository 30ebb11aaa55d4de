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

// folder is the directory of profiles in the data directory.
const folder = "remote"

// Profile holds the keys of a named connection. The sharing and the connecting side use different
// files, so both can be on the same machine.
type Profile struct {
	Name string
	Own  Keys
	// Peer is the key of the sharing side, for the connecting side. It is nil before pairing.
	Peer *remotes.Key
	// SeenAt is when the other side was last seen.
	SeenAt time.Time

	path string
}

// Keys is the key pair of one side.
type Keys struct{ Public, Private remotes.Key }

// kept is the file format of a profile.
type kept struct {
	Private string    `json:"private"`
	Public  string    `json:"public"`
	Peer    string    `json:"peer,omitempty"`
	SeenAt  time.Time `json:"seenAt,omitzero"`
}

// Side is one side of a connection.
type Side string

// Sides of a connection.
const (
	Sharing    Side = "share"
	Connecting Side = "connect"
)

// OpenProfile reads a profile from a data directory. It creates the keys if there are none. It
// rejects a file that other users can read.
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

// Save writes the profile atomically.
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

// writePrivate atomically writes a file that only this user can read.
func writePrivate(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // created with mode 0600
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

// spoken is the alphabet of pairing codes. It omits letters and digits that look alike.
var spoken = base32.NewEncoding("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").WithPadding(base32.NoPadding)

// half is one side's contribution to a pairing.
type half struct {
	Key   remotes.Key
	Nonce [32]byte
}

// commitment returns a hash that commits a side to its half, without revealing it.
func (h half) commitment(side Side) [32]byte {
	return sha256.Sum256(append(append([]byte("say-ur-intent pairing 1 "+string(side)+" "), h.Key[:]...), h.Nonce[:]...))
}

// codeOf returns the pairing code of both halves. It has 30 bits. Neither side can choose them,
// because each has committed to its half before it sees the other.
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

// pairSubject returns the subject for pairing with a profile. helloSubject returns the subject for
// opening connections to a paired machine. It depends on the key, because several users may choose
// the same name.
func pairSubject(profile string) string { return "sayurintent.pair." + profile }

func helloSubject(k remotes.Key) string {
	sum := sha256.Sum256(append([]byte("say-ur-intent subject 1 "), k[:]...))
	return "sayurintent.hello." + hex.EncodeToString(sum[:16])
}

func upSubject(conn string) string   { return "sayurintent.up." + conn }
func downSubject(conn string) string { return "sayurintent.down." + conn }

// Lists returns the stored responses to list requests, or nil.
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

// Keep stores when the other side was last seen, and its lists, for use while it is offline. It
// ignores write errors, because a later process can work with older data.
func (p *Profile) Keep(seen time.Time, lists map[string]json.RawMessage) {
	p.SeenAt = seen
	_ = p.Save()
	if text, err := json.Marshal(lists); err == nil {
		_ = writePrivate(p.listsPath(), text)
	}
}

func (p *Profile) listsPath() string { return strings.TrimSuffix(p.path, ".json") + ".lists.json" }
