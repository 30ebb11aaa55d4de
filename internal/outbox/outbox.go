package outbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Log is the log of the person's program as the outbox reads it.
type Log interface {
	// Outgoing returns the log's id, its end, and the events after a place that the agents
	// of conversations whose names begin so were told: the oldest first, at most so many.
	Outgoing(ctx context.Context, conversations string, after bus.Seq, most int) (
		log string, end bus.Seq, list []bus.Outgoing, err error)
}

// Stream is what keeps the letters; *relay.Kept is one.
type Stream interface {
	Last(ctx context.Context, to remotes.Key) (message []byte, at uint64, err error)
	Put(ctx context.Context, to remotes.Key, id string, message []byte, after uint64) (at uint64, err error)
	Purge(ctx context.Context, to remotes.Key, upTo uint64) error
}

// Limits says how long letters are kept: events of an agent as in the log, and what a
// thousand conversations write in that time.
func Limits() relay.Bounds {
	return relay.Bounds{Age: bus.DefaultPolicy().Age, Bytes: 64 << 20}
}

// Outbox copies the events of the remotes' conversations into letters.
//
// Where it stands is what the last letter says, which is read from the stream: nothing of
// it is stored at home, so a stream that was deleted is filled again with all that the log
// still has. A letter is put behind the one that the writer knows as the last. So several
// programs of one person may write at once, one of them succeeds with each letter, and the
// others read on.
type Outbox struct {
	Log     Log
	Remotes remotes.Store
	Network string
	Now     func() time.Time
	// Open opens the stream. It is called again after each failure.
	Open func(ctx context.Context) (Stream, error)
	// Told is called when the outbox begins to work, with nil, and when it fails.
	Told func(error)

	stream Stream
	rounds int
	at     map[remotes.Key]*position
	purged map[remotes.Key]bool
}

// position is where the letters for a remote end.
type position struct {
	log   string
	run   string
	seq   bus.Seq // events up to it are kept, or need not be
	place uint64  // of the last letter
}

// How often the log is looked at, and how long the outbox rests after a failure.
const (
	lookEvery = 250 * time.Millisecond
	failPause = 500 * time.Millisecond
	idlePause = 10 * time.Second // at a server that keeps nothing
	turnPause = 20 * time.Millisecond
)

// mostAtOnce is how many events are read at once.
const mostAtOnce = 200

// Run copies until ctx ends.
func (o *Outbox) Run(ctx context.Context) {
	o.at, o.purged = map[remotes.Key]*position{}, map[remotes.Key]bool{}
	said := false
	for ctx.Err() == nil {
		err := o.round(ctx)
		pause := lookEvery
		switch {
		case errors.Is(err, relay.ErrMoved):
			err, pause = nil, turnPause // another program's turn
		case err != nil && ctx.Err() == nil:
			o.stream, pause = nil, failPause
			clear(o.at) // what was kept is read from the stream again
			if errors.Is(err, relay.ErrNotKept) {
				pause = idlePause
			}
		}
		if ctx.Err() == nil && o.Told != nil && (!said || err != nil) {
			said = err == nil
			o.Told(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// round copies what there is for each remote.
func (o *Outbox) round(ctx context.Context) error {
	if o.stream == nil {
		s, err := o.Open(ctx)
		if err != nil {
			return err
		}
		o.stream = s
	}
	all, err := o.Remotes.Remotes(ctx)
	if err != nil {
		return err
	}
	// What is deleted at the server is noticed with the next letter, or after ten seconds.
	if o.rounds++; o.rounds%40 == 0 {
		clear(o.at)
	}
	for _, r := range all {
		//mutant:always ./internal/relay TestRevokedLetters
		if r.State(o.Now()) == remotes.Admitted {
			delete(o.purged, r.Key)
			err = o.send(ctx, r)
		} else if !o.purged[r.Key] {
			if err = o.stream.Purge(ctx, r.Key, 0); err == nil {
				o.purged[r.Key] = true
				delete(o.at, r.Key)
			}
		}
		if err != nil {
			delete(o.at, r.Key)
			return err
		}
	}
	return nil
}

// send puts what is new for one remote.
func (o *Outbox) send(ctx context.Context, r remotes.Remote) error {
	if o.at[r.Key] == nil {
		p, err := o.find(ctx, r.Key)
		if err != nil {
			return err
		}
		o.at[r.Key] = p
	}
	p := o.at[r.Key]
	for {
		log, end, list, err := o.Log.Outgoing(ctx, r.Key.Conversations(), p.seq, mostAtOnce)
		if err != nil {
			return err
		}
		if log != p.log {
			if err := o.begin(ctx, r.Key, p, log); err != nil {
				return err
			}
			continue
		}
		for _, e := range list {
			if err := o.put(ctx, r.Key, p, e); err != nil {
				return err
			}
		}
		if len(list) < mostAtOnce {
			p.seq = max(p.seq, end)
			return nil
		}
	}
}

// find reads where the letters for a remote end.
func (o *Outbox) find(ctx context.Context, to remotes.Key) (*position, error) {
	message, at, err := o.stream.Last(ctx, to)
	if err != nil {
		return nil, err
	}
	p := &position{place: at}
	var l Letter
	if json.Unmarshal(message, &l) == nil { // another one is of no log
		p.log, p.run, p.seq = l.Log, l.Run, l.Seq
	}
	return p, nil
}

// begin begins the letters of a log: they are the first ones, or the log is another one
// since everything was replaced, and what was kept of the log before is removed.
func (o *Outbox) begin(ctx context.Context, to remotes.Key, p *position, log string) error {
	if p.place != 0 {
		if err := o.stream.Purge(ctx, to, p.place); err != nil {
			return err
		}
	}
	run := rand.Text()
	text, err := json.Marshal(Letter{Log: log, Run: run, Network: o.Network, At: o.Now().UTC()})
	if err != nil {
		return err
	}
	place, err := o.stream.Put(ctx, to, run, text, 0)
	if err != nil {
		return err
	}
	*p = position{log: log, run: run, place: place}
	return nil
}

func (o *Outbox) put(ctx context.Context, to remotes.Key, p *position, e bus.Outgoing) error {
	l, err := letterOf(e, p.log, o.Network)
	if err != nil {
		return err
	}
	l.Run = p.run
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	place, err := o.stream.Put(ctx, to, letterID(l), text, p.place)
	if err != nil {
		return err
	}
	p.place, p.seq = place, e.Seq
	return nil
}

// letterID is the same for the same event of the same run. It is not sealed, so it shows
// neither the log nor the event's number, which would say how much else happens at home.
func letterID(l Letter) string {
	sum := sha256.Sum256([]byte("say-ur-intent event 1 " + l.Run + " " + l.Log + " " + strconv.FormatInt(int64(l.Seq),
		10)))
	return hex.EncodeToString(sum[:16])
}
