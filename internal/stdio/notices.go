package stdio

import (
	"context"
	"encoding/json"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// noticeQueue is the number of notifications that mcp-go can queue before it drops some. Progress
// that must not be lost is sent by Session.Progress.
const noticeQueue = 256

// notices writes mcp-go's notifications for one session.
type notices struct {
	mu    sync.Mutex
	over  bool
	queue chan mcp.JSONRPCNotification
	end   chan struct{} // closed to stop the writer
	ended chan struct{} // closed by the writer
}

// NotificationChannel returns the channel to which mcp-go sends notifications. They are written in
// order, before the answer. After the answer it returns nil, and mcp-go drops them.
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

// writeNotice corrects mcp-go's mistakes on this transport: progress tokens above 2^53, log
// messages that the server never announced, and streams of subscriptions/listen without their id.
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

// openBroadcast registers the session through which mcp-go sends messages that belong to no
// request.
func (c *connection) openBroadcast() error {
	c.broadcast = newSession(c, c.home, envelope{}, requestMeta{})
	c.broadcast.NotificationChannel()
	return c.server.RegisterSession(c.ctx, c.broadcast)
}

func (c *connection) closeBroadcast() {
	c.server.UnregisterSession(c.ctx, c.name)
	c.broadcast.release()
	close(c.broadcast.notices.end) // its writer may block if the client does not read
}

// honoured returns the acknowledgment of a stream: the subscriptions that mcp-go and this package
// serve.
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

// listen serves subscriptions/listen, a stream that lasts until the client cancels it or leaves. It
// does not count as a running call, and carries only what was requested.
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

// followAlong keeps a stream open while this package follows resources for it, even if mcp-go
// follows nothing.
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

// withNotifications returns the parameters with another filter.
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
