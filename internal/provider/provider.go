// Package provider requests size-limited JSON from an outside HTTP server, which may be slow, wrong or
// hostile.
//
// It knows no particular service. It sends no cookies, follows no redirects, ignores proxy environment
// variables, decompresses nothing, and never passes on the server's own texts, which are untrusted.
package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Limits of one query.
const (
	DefaultTimeout = 10 * time.Second
	maxHeader      = 64 << 10
	pause          = 200 * time.Millisecond // before the only retry
)

// Config configures a Client.
type Config struct {
	URL     string        // https://host[:port], or http:// with a numeric loopback address
	Name    string        // name for use within a sentence, such as "the DeepBook indexer"
	Advice  string        // a clause that states what works without the server
	MaxBody int64         // maximum size of a response in bytes; required
	Timeout time.Duration // for one request; 0 means DefaultTimeout
	Reach   Reach         // checks every dialed address; nil accepts all
	Heard   Heard         // receives the outcome of each request
}

// Reach checks an address right before it is dialed, because a name may resolve to another address
// than before. If Reach returns an error, the address is not dialed.
type Reach func(netip.Addr) error

// Dialer returns a dialer that dials only addresses that reach allows.
func (reach Reach) Dialer(timeout time.Duration) *net.Dialer {
	d := &net.Dialer{Timeout: timeout}
	//mutant:always ./internal/provider TestReach
	if reach == nil {
		return d
	}
	d.Control = func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return reach(at.Addr())
	}
	return d
}

// Client queries one server. It is safe for concurrent use.
type Client struct {
	config Config
	base   string
	http   *http.Client
}

// New returns a client without sending a request. It returns fault.InputInvalid for an address without
// TLS, unless it is on this machine.
func New(c Config) (*Client, error) {
	if c.Name == "" || c.MaxBody <= 0 {
		return nil, errors.New("provider: no name or no size limit")
	}
	base, err := endpoint(c.URL)
	if err != nil {
		return nil, fault.New(fault.InputInvalid,
			"The address of %s is https://host[:port], or http://127.0.0.1:port for one on this machine.", c.Name)
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	return &Client{
		config: c, base: base,
		http: &http.Client{
			// Proxy stays nil, so that an environment variable cannot redirect requests.
			Transport: &http.Transport{
				DialContext:       c.Reach.Dialer(c.Timeout).DialContext,
				ForceAttemptHTTP2: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
				MaxIdleConns: 4, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: c.Timeout,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// endpoint validates an address and returns it without a trailing slash.
func endpoint(text string) (string, error) {
	bad := errors.New("not a valid address")
	u, err := url.Parse(text)
	if err != nil || len(text) > 300 || u.Hostname() == "" || u.Opaque != "" || u.User != nil ||
		(u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return "", bad
	}
	if u.Port() != "" {
		if n, err := strconv.ParseUint(u.Port(), 10, 16); err != nil || n == 0 {
			return "", bad
		}
	}
	ip, err := netip.ParseAddr(u.Hostname())
	local := err == nil && ip.IsLoopback() && ip.Zone() == ""
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return "", bad
	}
	return u.Scheme + "://" + u.Host, nil
}

// Answer is the server's response: valid JSON, and its reported age in a cache.
type Answer struct {
	Body json.RawMessage
	Age  time.Duration
}

// Get requests a path. If the server cannot be reached, it retries once, then returns
// fault.ProviderUnavailable. It returns fault.ProviderRefused, with the status in its details, if the
// server rejects the request, and fault.ProviderMismatch for an invalid response.
func (c *Client) Get(ctx context.Context, path string, query url.Values) (Answer, error) {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	answer, err := c.fetch(ctx, target)
	if fault.Is(err, fault.ProviderUnavailable) && ctx.Err() == nil {
		again := time.NewTimer(pause)
		defer again.Stop()
		select {
		case <-again.C:
			answer, err = c.fetch(ctx, target)
		case <-ctx.Done():
		}
	}
	c.config.Heard.Tell(OutcomeOf(ctx, err))
	if err != nil {
		return Answer{}, err
	}
	if err := strictjson.Check(answer.Body); err != nil {
		return Answer{}, c.Nonsense(err, "is not valid JSON")
	}
	return answer, nil
}

// Decode decodes a response's JSON into a T, ignoring unknown members. It returns
// fault.ProviderMismatch if the JSON does not fit T.
func Decode[T any](c *Client, body json.RawMessage) (T, error) {
	var v T
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&v); err != nil {
		var none T
		return none, c.Nonsense(err, "does not match its interface")
	}
	return v, nil
}

func (c *Client) fetch(ctx context.Context, target string) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("Cache-Control", "no-cache")
	got, err := c.http.Do(request)
	if err != nil {
		return Answer{}, c.outage(err)
	}
	defer func() { _ = got.Body.Close() }()
	if err := c.judge(got); err != nil {
		return Answer{}, err
	}
	body, err := io.ReadAll(io.LimitReader(got.Body, c.config.MaxBody+1))
	switch {
	case err != nil:
		return Answer{}, c.outage(err)
	case int64(len(body)) > c.config.MaxBody:
		return Answer{}, c.Nonsense(nil, fmt.Sprintf("is larger than %d KiB",
			c.config.MaxBody>>10))
	}
	return Answer{Body: body, Age: age(got.Header.Get("Age"))}, nil
}

// age parses the Age header. An invalid value counts as a year.
func age(text string) time.Duration {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 24)
	if err != nil {
		return 365 * 24 * time.Hour
	}
	return time.Duration(n) * time.Second
}

// judge converts a status to an error: an outage, a rejection or an invalid response. It returns nil
// for a usable response.
func (c *Client) judge(answer *http.Response) error {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	encoding := answer.Header.Get("Content-Encoding")
	switch code := answer.StatusCode; {
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return c.outage(errors.New(answer.Status)).With("status", strconv.Itoa(code))
	case code >= 300 && code < 400:
		return c.Nonsense(nil, "is a redirect, which is not followed").With("status", strconv.Itoa(code))
	case code >= 400:
		return fault.New(fault.ProviderRefused,
			"%s refused the request with status %d. Check the request, or try again later.",
			c.subject(), code).With("status", strconv.Itoa(code))
	case code != http.StatusOK:
		return c.Nonsense(nil, "has an unexpected status").With("status", strconv.Itoa(code))
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return c.Nonsense(nil, "is compressed, although this was not requested")
	case kind != "application/json":
		return c.Nonsense(nil, "is not JSON")
	}
	return nil
}

// subject returns the server's name, capitalized for the beginning of a sentence.
func (c *Client) subject() string { return strings.ToUpper(c.config.Name[:1]) + c.config.Name[1:] }

func (c *Client) outage(cause error) *fault.Error {
	var own *fault.Error
	if errors.As(cause, &own) {
		return own // Reach refused the address
	}
	return fault.Wrap(cause, fault.ProviderUnavailable,
		"%s cannot be reached or did not respond in time. Try again later; %s", c.subject(), c.config.Advice)
}

// Nonsense returns the fault.ProviderMismatch for an unusable response. what completes a sentence that
// begins with "The response of" and the server's name.
func (c *Client) Nonsense(cause error, what string) *fault.Error {
	return fault.Wrap(cause, fault.ProviderMismatch, "The response of %s %s. It was not used.", c.config.Name, what)
}
