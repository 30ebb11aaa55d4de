package stdio

import (
	"context"
	"encoding/json"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// noticeQueue is the number of notifications that wait to be written. mcp-go drops further ones, so
// progress that must not be lost is sent with Session.Progress.
const noticeQueue = 256

// notices queues and writes the notifications that mcp-go sends to one session.
type notices struct {
	mu    sync.Mutex
	over  bool
	queue chan mcp.JSONRPCNotification
	end   chan struct{} // closed to stop the writer
	ended chan struct{} // closed by the writer
}

// NotificationChannel returns the channel to which mcp-go sends notifications. They are written in
// order, before the answer. It returns nil for a session that was answered before it queued any, so
// that mcp-go drops them.
func (s *Session) NotificationChannel() chan<- mcp.JSONRPCNotification {
	n := &s.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.queue == nil && !n.over {
		n.queue = make(chan mcp.JSONRPCNotification, noticeQueue)
		n.end, n.ended = make(chan struct{}), make(chan struct{})
		go s.writeNotices(n.queue, n.end, n.ended)
	}
	return n.queue
}

func (s *Session) writeNotices(queue <-chan mcp.JSONRPCNotification, end, ended chan struct{}) {
	defer close(ended)
	for {
		select {
		case n := <-queue:
			s.writeNotice(n)
		case <-end:
			for {
				select {
				case n := <-queue:
					s.writeNotice(n)
				default:
					return
				}
			}
		}
	}
}

// settle waits until all queued notifications are written, and drops later ones.
func (n *notices) settle() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
	if n.queue == nil {
		return
	}
	select {
	case <-n.end:
	default:
		close(n.end)
	}
	<-n.ended
}

// writeNotice corrects what mcp-go gets wrong on this transport: it restores exact progress tokens,
// drops log messages that the server did not announce, and adds the id to notifications of a
// subscriptions/listen stream.
func (s *Session) writeNotice(n mcp.JSONRPCNotification) {
	params := maps.Clone(n.Params.AdditionalFields)
	if params == nil {
		params = map[string]any{}
	}
	meta := maps.Clone(n.Params.Meta)
	switch n.Method {
	case "notifications/progress":
		if s.meta.token == nil {
			return
		}
		params["progressToken"] = json.RawMessage(s.meta.token)
	case "notifications/message":
		if known := s.conn.client.Load(); !s.meta.modern && (known == nil || !known.logging) {
			return
		}
	}
	if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
		params["notifications"] = s.honoured(params["notifications"])
		defer s.acknowledge()
	}
	if s.method == string(mcp.MethodSubscriptionsListen) {
		if meta == nil {
			meta = map[string]any{}
		}
		meta[mcp.MetaKeySubscriptionID] = json.RawMessage(s.id.raw)
	}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	frame, err := noticeFrame(0, n.Method, params)
	if err != nil {
		s.conn.opts.Log.Error("a notification cannot be written as JSON", "method", n.Method, "error", err)
		return
	}
	s.at.out.write(frame, s)
}

// openBroadcast registers the session to which mcp-go sends messages that do not belong to a
// request.
func (c *connection) openBroadcast() error {
	c.broadcast = newSession(c, c.home, envelope{}, requestMeta{})
	c.broadcast.NotificationChannel()
	return c.server.RegisterSession(c.ctx, c.broadcast)
}

func (c *connection) closeBroadcast() {
	c.server.UnregisterSession(c.ctx, c.name)
	c.broadcast.release()
	close(c.broadcast.notices.end) // does not wait for the writer, which may block if the client does not read
}

// honoured returns the filter in the acknowledgment of a stream: the subscriptions that mcp-go
// serves, and those that this package serves.
func (s *Session) honoured(served any) any {
	filter := map[string]any{}
	if raw, err := encode(served); err != nil || json.Unmarshal(raw, &filter) != nil || s.followed.empty() {
		return served
	}
	if len(s.followed.Tasks) > 0 {
		filter["taskIds"] = s.followed.Tasks
	}
	if len(s.followed.Resources) > 0 {
		filter["resourceSubscriptions"] = s.followed.Resources
	}
	return filter
}

func (s *Session) acknowledge() {
	if s.acknowledged != nil {
		close(s.acknowledged)
	}
}

// listen handles subscriptions/listen: a stream that lasts until the client cancels it or
// disconnects. A stream does not count as a running call.
func (c *connection) listen(s *Session, params, raw []byte) {
	s.name = s.listenName()
	own, rest, failed := c.following(s, params)
	if failed != nil {
		c.serveExtended(s, func(context.Context, *Session, []byte) (any, *failure) { return nil, failed }, nil)
		return
	}
	if rest != nil {
		raw = message(s.serial, s.method, withNotifications(params, rest))
	}
	defer context.AfterFunc(c.input, s.release)()
	if err := c.server.RegisterSession(s.ctx, s); err != nil {
		c.refuse(s.at, &refusal{id: s.id.raw, code: codeInternal, text: "The stream cannot be opened."})
		return
	}
	defer c.server.UnregisterSession(s.ctx, s.name)
	if own.empty() {
		c.answer(s, c.dispatch(s, raw))
		return
	}
	c.answer(s, c.followAlong(s, own, raw))
}

// followAlong keeps a stream open for the tasks and resources that this package follows, even if
// mcp-go has nothing to follow.
func (c *connection) followAlong(s *Session, own followed, raw []byte) mcp.JSONRPCMessage {
	s.followed, s.acknowledged = own, make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		select {
		case <-s.acknowledged:
			c.follow(s, own, all.Go)
		case <-s.ctx.Done():
		}
	})
	response := c.dispatch(s, raw)
	if _, refused := response.(mcp.JSONRPCError); refused {
		s.release()
	}
	<-s.ctx.Done()
	all.Wait()
	return response
}

// withNotifications returns params with its filter replaced.
func withNotifications(params, filter []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil {
		return params
	}
	members["notifications"] = filter
	out, err := encode(members)
	if err != nil {
		return params
	}
	return out
}
