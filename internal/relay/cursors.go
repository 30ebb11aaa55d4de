package relay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// cursorAge is how long a cursor that nobody moves is kept: longer than any letter.
const cursorAge = 8 * 24 * time.Hour

// cursorsName ends the name of the bucket of cursors.
const cursorsName = "_CURSORS"

// cursorsOf begins the keys of a remote's cursors.
func cursorsOf(k remotes.Key) string { return keyed("say-ur-intent cursors of 1 ", k) }

// bucket is where the cursors of the profile's remotes are kept.
func (g *Guest) bucket(ctx context.Context) (jetstream.KeyValue, error) {
	js, err := jetstream.New(g.NATS)
	if err != nil {
		return nil, err
	}
	stream, _ := keptNames(*g.Profile.Peer)
	name := stream + cursorsName
	kv, err := js.KeyValue(ctx, name)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, err
	}
	c := jetstream.KeyValueConfig{Bucket: name, TTL: cursorAge, MaxBytes: 4 << 20, Replicas: 1}
	if g.NATS.ConnectedClusterName() != "" {
		c.Replicas = 3
	}
	return js.CreateKeyValue(ctx, c)
}

// cursorKey names a reader of this machine and a log, and shows neither.
func (g *Guest) cursorKey(log, reader string) string {
	sum := sha256.Sum256([]byte("say-ur-intent cursor 1 " + log + " " + reader))
	return cursorsOf(g.Profile.Own.Public) + "." + hex.EncodeToString(sum[:16])
}

// Cursor returns where a reader of this machine stands in a log; 0 where it has not read.
func (g *Guest) Cursor(ctx context.Context, log, reader string) (int64, error) {
	ctx, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	kv, err := g.bucket(ctx)
	if err != nil {
		return 0, err
	}
	at, _, err := g.cursor(ctx, kv, g.cursorKey(log, reader))
	return at, err
}

func (g *Guest) cursor(ctx context.Context, kv jetstream.KeyValue, key string) (at int64, revision uint64, err error) {
	e, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	text, err := openLetter(e.Value(), g.Profile.Own.Public, g.Profile.Own.Private)
	if err == nil {
		at, err = strconv.ParseInt(string(text), 10, 64)
	}
	if err != nil {
		at = 0 // somebody else's: it is read again from the beginning
	}
	return at, e.Revision(), nil
}

// MoveCursor moves it forward; moving it back changes nothing.
func (g *Guest) MoveCursor(ctx context.Context, log, reader string, to int64) error {
	ctx, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	kv, err := g.bucket(ctx)
	if err != nil {
		return err
	}
	key := g.cursorKey(log, reader)
	for {
		at, revision, err := g.cursor(ctx, kv, key)
		if err != nil || at >= to {
			return err
		}
		sealed, err := letter([]byte(strconv.FormatInt(to, 10)), g.Profile.Own.Public, g.Profile.Own.Private)
		if err != nil {
			return err
		}
		_, err = kv.Update(ctx, key, sealed, revision)
		var refused *jetstream.APIError
		if errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			continue // another process of this machine moved it
		}
		return err
	}
}
