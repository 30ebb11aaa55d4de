package stdio

import (
	"context"
	"strings"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
)

// channelCapability is the experimental capability of servers that push messages into a Claude Code
// conversation outside calls. A flag of Claude Code enables it, and the server cannot see the flag,
// so nothing may depend on a message arriving.
const channelCapability = "claude/channel"

// ChannelMessage is one message for a conversation.
type ChannelMessage struct {
	Content string            // one line
	Meta    map[string]string // keys contain only letters, digits and underscores
}

// channelled reports whether the client accepts messages: either it is Claude Code, or it declares
// the capability.
func (k *client) channelled() bool {
	_, declared := k.capabilities.Experimental[channelCapability]
	return declared || k.info.Name == "claude-code"
}

// announceChannel adds the channel capability to the result of initialize if the client accepts
// messages.
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

// openChannel starts pushing messages if the client accepts them.
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

// plainText puts s on one line and escapes characters that have a meaning in XML, because the
// client inserts the text into an element or attribute.
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
