package relay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Kept are the letters that a NATS server keeps for the remotes of one profile, in a
// stream on its disk. The sharing side writes them, each remote reads its own.
type Kept struct {
	js      jetstream.JetStream
	own     Keys
	stream  jetstream.Stream
	subject string // of all letters, without the remote
}

// Bounds of what is kept; a letter of an event takes below a kilobyte.
type Bounds struct {
	Age   time.Duration
	Bytes int64
}

// ErrNotKept is how OpenKept fails where the server can keep nothing.
var ErrNotKept = errors.New("the NATS server has no JetStream")

// ErrMoved is how Put fails when the last letter is another one than the writer thought.
var ErrMoved = errors.New("relay: another letter was kept meanwhile")

// keptTime bounds one question to the server.
const keptTime = 4 * time.Second

// keptNames are the names of the stream of a sharing side, and of its letters' subjects.
// They show no key, as those of a hello.
func keptNames(host remotes.Key) (stream, subject string) {
	name := keyed("say-ur-intent events 1 ", host)
	return "SAYURINTENT_" + name, "sayurintent.events." + name + "."
}

func keyed(what string, k remotes.Key) string {
	sum := sha256.Sum256(append([]byte(what), k[:]...))
	return hex.EncodeToString(sum[:16])
}

func (k *Kept) letters(to remotes.Key) string {
	return k.subject + keyed("say-ur-intent events for 1 ", to)
}

// OpenKept finds the stream of the profile, and makes it where there is none: with three
// copies in a cluster. It is ErrNotKept at a server without JetStream.
func OpenKept(ctx context.Context, nc *nats.Conn, own Keys, b Bounds) (*Kept, error) {
	ctx, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	k := &Kept{own: own}
	var err error
	if k.js, err = jetstream.New(nc); err != nil {
		return nil, err
	}
	name, subject := keptNames(own.Public)
	k.subject = subject
	k.stream, err = k.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		c := jetstream.StreamConfig{Name: name, Subjects: []string{subject + "*"}, Storage: jetstream.FileStorage,
			MaxAge: b.Age, MaxBytes: b.Bytes, Discard: jetstream.DiscardOld, Replicas: 1,
			// A node that lost the lead remembers ids of letters that were never kept, and refuses
			// them for so long. What keeps each letter once is the place that Put names.
			Duplicates: 10 * time.Second}
		if nc.ConnectedClusterName() != "" {
			c.Replicas = 3
		}
		k.stream, err = k.js.CreateStream(ctx, c)
		var refused *jetstream.APIError
		if c.Replicas > 1 && errors.As(err, &refused) && refused.ErrorCode == noPeers {
			c.Replicas = 1 // a cluster of two, or one that shares no streams
			k.stream, err = k.js.CreateStream(ctx, c)
		}
	}
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders):
		return nil, ErrNotKept
	case err != nil:
		return nil, fmt.Errorf("the NATS server does not keep events: %w", err)
	}
	return k, nil
}

// noPeers is the server's code for a cluster that is too small for the copies.
const noPeers jetstream.ErrorCode = 10005

// Last opens the last letter for a remote and returns its place; 0 where there is none.
func (k *Kept) Last(ctx context.Context, to remotes.Key) (message []byte, at uint64, err error) {
	ctx, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	m, err := k.stream.GetLastMsgForSubject(ctx, k.letters(to))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	// The key that seals is of both, so this side opens its own letters too. What somebody
	// else put there does not open, and counts as no letter.
	message, err = openLetter(m.Data, to, k.own.Private)
	if err != nil {
		message = nil
	}
	return message, m.Sequence, nil
}

// Put seals a message and keeps it after the letter whose place is given. It returns only
// when it is on the server's disk, or on those of most of a cluster. It is ErrMoved where
// another letter is the last one: another program writes too, or an earlier Put succeeded
// without saying so. The server takes each id once.
func (k *Kept) Put(ctx context.Context, to remotes.Key, id string, message []byte, after uint64) (at uint64,
	err error) {
	ctx, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	sealed, err := letter(message, to, k.own.Private)
	if err != nil {
		return 0, err
	}
	ack, err := k.js.Publish(ctx, k.letters(to), sealed, jetstream.WithMsgID(id),
		jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithRetryAttempts(0))
	var refused *jetstream.APIError
	switch {
	case errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		return 0, ErrMoved
	case err != nil:
		return 0, err
	case ack.Duplicate:
		return 0, ErrMoved
	}
	return ack.Sequence, nil
}

// Purge removes the letters for a remote up to a place; 0 is all, and the cursors of its
// readers too.
func (k *Kept) Purge(ctx context.Context, to remotes.Key, upTo uint64) error {
	ctx, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	which := []jetstream.StreamPurgeOpt{jetstream.WithPurgeSubject(k.letters(to))}
	if upTo > 0 {
		which = append(which, jetstream.WithPurgeSequence(upTo+1))
	}
	if err := k.stream.Purge(ctx, which...); err != nil || upTo > 0 {
		return err
	}
	bucket := k.stream.CachedInfo().Config.Name + cursorsName
	kv, err := k.js.Stream(ctx, "KV_"+bucket)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err == nil {
		err = kv.Purge(ctx, jetstream.WithPurgeSubject("$KV."+bucket+"."+cursorsOf(to)+".*"))
	}
	return err
}

// keptBeat is the time between the server's signs of life while a remote reads.
var keptBeat = 2 * time.Second

// How a remote reads.
const (
	keptPause = 500 * time.Millisecond
	keptQuiet = 5 * time.Second // without a letter, until the last one is asked for
)

// Follow calls take with every letter that is kept for this machine, the oldest first, and
// those that come, until ctx ends. After whatever breaks it goes on behind the last one,
// and from the beginning where the stream is another one, so that take may get a message
// again. whole is called with true each time when all that is kept was given, and with
// false when the server cannot be asked.
//
// It reads by the place in the stream and the server keeps no cursor for it: the letters
// are held in memory, which a process fills from the beginning, so a cursor of a durable
// consumer would only say what to leave out.
func (g *Guest) Follow(ctx context.Context, take func(message []byte), whole func(bool)) error {
	f := follower{guest: g, take: take, whole: whole}
	var err error
	if f.js, err = jetstream.New(g.NATS); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := f.read(ctx); err != nil && !f.reached {
			whole(false)
		}
		f.reached = false
		select {
		case <-ctx.Done():
		case <-time.After(keptPause):
		}
	}
	return ctx.Err()
}

// follower is where a Follow stands.
type follower struct {
	guest   *Guest
	js      jetstream.JetStream
	take    func([]byte)
	whole   func(bool)
	made    time.Time // when the stream was
	next    uint64    // place of the next letter, at least
	reached bool      // the server was asked with success
}

func (f *follower) subject() string {
	_, subject := keptNames(*f.guest.Profile.Peer)
	return (&Kept{subject: subject}).letters(f.guest.Profile.Own.Public)
}

// read reads until something breaks.
func (f *follower) read(ctx context.Context) error {
	asking, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	name, _ := keptNames(*f.guest.Profile.Peer)
	stream, err := f.js.Stream(asking, name)
	if err != nil {
		return err
	}
	if made := stream.CachedInfo().Created; !made.Equal(f.made) || f.next == 0 {
		f.made, f.next = made, 1
	}
	c, err := stream.CreateConsumer(asking, jetstream.ConsumerConfig{
		FilterSubject: f.subject(),
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.next,
		AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return err
	}
	gone := c.CachedInfo().Name
	defer func() {
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		_ = stream.DeleteConsumer(ending, gone) // or it ends by itself, unused
	}()
	f.reached = true
	if c.CachedInfo().NumPending == 0 {
		f.whole(true)
	}
	all, err := c.Messages(jetstream.PullMaxMessages(500), jetstream.PullExpiry(30*time.Second),
		jetstream.PullHeartbeat(keptBeat))
	if err != nil {
		return err
	}
	defer all.Stop()
	for number := uint64(1); ; {
		err := f.each(ctx, all, &number)
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if f.behind(ctx, stream) {
			return errors.New("relay: the node is behind the others")
		}
	}
}

// behind asks whoever leads the stream whether there is a letter that did not come: the
// node of a cluster that sends them may have fallen behind the others.
func (f *follower) behind(ctx context.Context, stream jetstream.Stream) bool {
	ctx, stop := context.WithTimeout(ctx, keptTime)
	defer stop()
	m, err := stream.GetLastMsgForSubject(ctx, f.subject())
	return err == nil && m.Sequence >= f.next
}

// each takes letters until one is missing, none can come or none came for a while.
func (f *follower) each(ctx context.Context, all jetstream.MessagesContext, number *uint64) error {
	for ; ; *number++ {
		quiet, stop := context.WithTimeout(ctx, keptQuiet)
		m, err := all.Next(jetstream.NextContext(quiet))
		stop()
		if err != nil {
			return err
		}
		at, err := m.Metadata()
		if err != nil {
			return err
		}
		// The server sends each number once. One that was lost on the way, or that this
		// machine was too slow for, is asked for again by its place.
		if at.Sequence.Consumer != *number {
			return errors.New("relay: a letter is missing")
		}
		f.next = at.Sequence.Stream + 1
		if message, err := openLetter(m.Data(), *f.guest.Profile.Peer, f.guest.Profile.Own.Private); err == nil {
			f.take(message)
		}
		if at.NumPending == 0 {
			f.whole(true)
		}
	}
}
