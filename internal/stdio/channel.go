package stdio

import (
	"context"
	"strings"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
)

// channelCapability is the experimental capability of servers that push messages into a Claude Code
// conversation outside calls. A flag of Claude Code enables it, unknown to the server, so nothing
// may depend on the arrival of a message.
const channelCapability = "claude/channel"

// ChannelMessage is one message for a conversation.
type ChannelMessage struct {
	Content string            // one line of facts
	Meta    map[string]string // names of letters, digits and underscores
}

// channelled reports whether the client accepts messages: it is Claude Code, or declares it.
func (k *client) channelled() bool {
	_, declared := k.capabilities.Experimental[channelCapability]
	return declared || k.info.Name == "claude-code"
}

// announceChannel adds the capability for a client that accepts messages.
func (c *connection) announceChannel(r *mcp.InitializeResult) {
	//mutant:never ./internal/stdio TestChannel
	if c.opts.Channel == nil || !c.client.Load().channelled() {
		return
	}
	experimental := map[string]any{channelCapability: struct{}{}}
	for name, value := range r.Capabilities.Experimental {
		experimental[name] = value
	}
	r.Capabilities.Experimental = experimental
}

// openChannel starts to push messages once the client is ready.
func (c *connection) openChannel() {
	if known := c.client.Load(); c.opts.Channel == nil || known == nil || !known.channelled() {
		return
	}
	c.channel.Do(func() {
		go c.opts.Channel(c.ctx, func(m ChannelMessage) {
			meta := make(map[string]string, len(m.Meta))
			for name, value := range m.Meta {
				meta[name] = plainText(value)
			}
			c.tell(c.broadcast, "notifications/claude/channel",
				map[string]any{"content": plainText(m.Content), "meta": meta})
		})
	})
}

// plainText keeps a text from ending the element or the attribute that the client puts it into,
// from beginning another, and on one line.
func plainText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(s)
}

// Channel provides the messages to push: it calls say for each one until ctx ends.
type Channel func(ctx context.Context, say func(ChannelMessage))
