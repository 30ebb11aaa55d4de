// Package indexer asks DeepBook's official indexer for past prices of a pool:
// a second source beside the chain, which may lag, forget or be wrong.
//
// It keeps every number as the exact decimal that was told, says which candles
// can still change and which are missing, and reads nothing from the chain.
package indexer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// DefaultURL is the indexer of mainnet that DeepBook's authors run.
const DefaultURL = "https://deepbook-indexer.mainnet.mystenlabs.com"

// Bounds of one question.
const (
	defaultTimeout = 10 * time.Second
	maxBody        = 2 << 20
	maxHeader      = 64 << 10
	pause          = 200 * time.Millisecond // before the one second try
)

// Config is what a client is made of.
type Config struct {
	URL     string           // https://host[:port], or http:// to a numeric loopback address
	Now     func() time.Time // this machine's clock; needed
	Timeout time.Duration    // of one question with all its requests; 0 is ten seconds
}

// Client asks one indexer. It is safe for concurrent use.
type Client struct {
	base    string
	now     func() time.Time
	timeout time.Duration
	http    *http.Client

	mu     sync.Mutex // guards listed and until
	listed map[string]listing
	until  time.Time
}

// New makes a client without asking anything. An address that is not served
// over TLS is taken on this machine alone; the error is fault.InputInvalid.
func New(c Config) (*Client, error) {
	if c.Now == nil {
		return nil, errors.New("indexer: no clock")
	}
	base, err := endpoint(c.URL)
	if err != nil {
		return nil, err
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	return &Client{
		base: base, now: c.Now, timeout: c.Timeout,
		http: &http.Client{
			// Proxy is nil: an environment variable must not choose who sees the questions.
			Transport: &http.Transport{
				ForceAttemptHTTP2: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
				MaxIdleConns: 4, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: c.Timeout,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// endpoint checks an indexer's address and gives it without a final slash.
func endpoint(text string) (string, error) {
	bad := fault.New(fault.InputInvalid,
		"The indexer's address is https://host[:port], or http://127.0.0.1:port for one on this machine.")
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

// get asks for one path and decodes its JSON into out, members that out lacks
// left aside. What cannot be reached is asked once more.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	body, err := c.fetch(ctx, target)
	if fault.Is(err, fault.ProviderUnavailable) && ctx.Err() == nil {
		again := time.NewTimer(pause)
		defer again.Stop()
		select {
		case <-again.C:
			body, err = c.fetch(ctx, target)
		case <-ctx.Done():
		}
	}
	if err != nil {
		return err
	}
	if err := strictjson.Check(body); err != nil {
		return nonsense(err, "The indexer's answer is not sound JSON.")
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(out); err != nil {
		return nonsense(err, "The indexer's answer has another shape than its interface.")
	}
	return nil
}

func (c *Client) fetch(ctx context.Context, target string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, outage(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if err := judge(answer); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, outage(err)
	case len(body) > maxBody:
		return nil, nonsense(nil, "The indexer's answer is larger than 2 MiB, which no bounded question needs.")
	}
	return body, nil
}

// judge tells an outage from a refusal and from an answer that is none. The
// indexer's own words are left out: they are nobody's instruction.
func judge(answer *http.Response) error {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	encoding := answer.Header.Get("Content-Encoding")
	switch code := answer.StatusCode; {
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return outage(errors.New(answer.Status)).With("status", strconv.Itoa(code))
	case code >= 300 && code < 400:
		return nonsense(nil, "The indexer points to another address, which is not followed.").With("status", strconv.Itoa(code))
	case code >= 400:
		return fault.New(fault.ProviderRefused,
			"The indexer refused the question with status %d. Check the pool and the time span.", code).
			With("status", strconv.Itoa(code))
	case code != http.StatusOK:
		return nonsense(nil, "The indexer answered with a status that is no answer.").With("status", strconv.Itoa(code))
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return nonsense(nil, "The indexer sent a compressed answer, which was not asked for and is not unpacked.")
	case kind != "application/json":
		return nonsense(nil, "The indexer's answer is not JSON.")
	}
	return nil
}

func outage(cause error) *fault.Error {
	return fault.Wrap(cause, fault.ProviderUnavailable,
		"The DeepBook indexer cannot be reached or did not answer in time. Ask again later; the chain's present price needs no indexer.")
}

func nonsense(cause error, text string) *fault.Error {
	return fault.Wrap(cause, fault.ProviderMismatch, "%s Nothing of it is used.", text)
}
