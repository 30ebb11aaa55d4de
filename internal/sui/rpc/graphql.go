package rpc

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shurcooL/graphql"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// Limits of the errors kept from one response.
const (
	maxErrors    = 10
	maxErrorText = 200
)

// queries sends typed queries to a GraphQL service. A gate checks the size, status and errors of a
// response, because the library keeps only the first error's message and reads without a limit. The
// result is decoded here too, because the library decodes token by token and takes several times as
// long.
type queries struct {
	url       string
	transport *http.Transport
}

// newQueries returns a client without connecting. It follows no redirects and ignores proxy
// environment variables.
func newQueries(url string, reach Reach) *queries {
	transport := &http.Transport{
		DisableCompression: true, MaxResponseHeaderBytes: maxHeaders, TLSHandshakeTimeout: defaultTimeout,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: 2, IdleConnTimeout: idleTime,
	}
	if reach != nil {
		transport.DialContext = reach.Dialer(defaultTimeout).DialContext
	}
	return &queries{url, transport}
}

// close ends idle connections.
func (q *queries) close() { q.transport.CloseIdleConnections() }

// put sends a query, which is a pointer to a struct in the schema's shape, and fills it. Embedded
// structs are fragments. All fields have distinct names in the response, so it can be read as plain
// JSON. A field that was not requested is a mismatch.
func (q *queries) put(ctx context.Context, query any, variables map[string]any) error {
	g := &gate{next: q.transport}
	err := graphql.NewClient(q.url, &http.Client{
		Transport:     g,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Query(ctx, query, variables)
	if err == nil {
		strict := json.NewDecoder(bytes.NewReader(g.data))
		strict.DisallowUnknownFields()
		err = strict.Decode(query)
	}
	if err == nil {
		return nil
	}
	var own *fault.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fault.Wrap(err, fault.RequestAborted, "The call was cancelled.")
	case errors.As(err, &own):
		return own
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.ProviderUnavailable, "The GraphQL service did not answer in time. Try again.")
	case errors.Is(err, errTransport):
		return fault.Wrap(err, fault.ProviderUnavailable,
			"The GraphQL service cannot be reached or ended the connection. Try again, or set another one.")
	}
	return fault.Wrap(err, fault.ProviderMismatch,
		"The GraphQL service gave an answer of an unexpected shape. Nothing was concluded from it.")
}

// errTransport marks failures to receive any response, as opposed to unreadable responses.
var errTransport = errors.New("no answer")

// gate is the transport of one query. It reads the response within its limits and keeps the data if
// there is no error. The response that it passes on has no data.
type gate struct {
	next http.RoundTripper
	data json.RawMessage
}

// RoundTrip implements http.RoundTripper. Its errors are faults, or wrap errTransport.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.ContentLength > maxQuestion {
		return nil, fault.New(fault.TooLarge, "The request to the GraphQL service is larger than allowed.")
	}
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Accept-Encoding", "identity")
	r.Header.Set("User-Agent", "say-ur-intent")
	answer, err := g.next.RoundTrip(r)
	if err != nil {
		var own *fault.Error
		if errors.As(err, &own) {
			return nil, own // reach refused the address
		}
		return nil, fmt.Errorf("%w: %w", errTransport, err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errTransport, err)
	}
	if g.data, err = judge(answer, body); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(strings.NewReader("{}"))
	answer.ContentLength = 2
	answer.StatusCode, answer.Status = http.StatusOK, "200 OK"
	return answer, nil
}

// judge returns the data of a response, or an error based on its size, status, content type or
// errors.
func judge(answer *http.Response, body []byte) (json.RawMessage, error) {
	if len(body) > maxAnswer {
		return nil, fault.New(fault.TooLarge,
			"The GraphQL service's response is larger than %d MiB and was not read.", maxAnswer>>20)
	}
	status := answer.StatusCode
	if status == http.StatusTooManyRequests || status >= 500 {
		return nil, fault.New(fault.ProviderUnavailable,
			"The GraphQL service is rejecting requests (HTTP %d). Try again in a moment.", status)
	}
	if provider.OfStatus(status) == provider.Unauthorized {
		return nil, fault.New(fault.ProviderRefused, "The GraphQL service refused the request (HTTP %d).", status).
			With("status", strconv.Itoa(status))
	}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	coded := answer.Header.Get("Content-Encoding")
	if (kind != "application/json" && kind != "application/graphql-response+json") ||
		(coded != "" && coded != "identity") || status >= 300 && status < 400 {
		return nil, noGraphQL()
	}
	var envelope struct {
		Data   json.RawMessage `json:"data"`
		Errors []graphError    `json:"errors"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return nil, noGraphQL()
	}
	switch {
	case len(envelope.Errors) > 0:
		return nil, graphRefusal(envelope.Errors)
	case status != http.StatusOK:
		return nil, fault.New(fault.ProviderRefused, "The GraphQL service refused the request (HTTP %d).", status)
	case len(envelope.Data) == 0 || string(envelope.Data) == "null":
		return nil, fault.New(fault.ProviderMismatch, "The GraphQL service returned neither a result nor an error.")
	}
	return envelope.Data, nil
}

// graphError is an error in a response. Path leads to the field in question.
type graphError struct {
	Message    string            `json:"message"`
	Path       []json.RawMessage `json:"path"`
	Extensions struct {
		Code json.RawMessage `json:"code"`
	} `json:"extensions"`
}

// passing lists error codes of temporary failures that do not depend on the query.
var passing = []string{"INTERNAL_SERVER_ERROR", "REQUEST_TIMEOUT", "RESOURCE_EXHAUSTED"}

// graphRefusal keeps the path, code and text of every error, up to a limit. The text is untrusted. A
// partial result with errors is discarded, because it cannot be distinguished from a complete one.
func graphRefusal(reported []graphError) error {
	var list []string
	outage := true
	first := ""
	for i, e := range reported {
		code := printable(strings.Trim(string(e.Extensions.Code), `"`), 40)
		outage = outage && slices.Contains(passing, code)
		if i == 0 {
			first = code
		}
		if i == maxErrors {
			list = append(list, fmt.Sprintf("and %d more", len(reported)-maxErrors))
		}
		if i >= maxErrors {
			continue
		}
		line := printable(e.Message, maxErrorText)
		if path := graphPath(e.Path); path != "" {
			line = path + ": " + line
		}
		if code != "" {
			line = code + " at " + line
			if len(e.Path) == 0 {
				line = code + ": " + printable(e.Message, maxErrorText)
			}
		}
		list = append(list, line)
	}
	refusal := fault.New(fault.ProviderRefused, "The GraphQL service refused the request.")
	if outage {
		refusal = fault.New(fault.ProviderUnavailable, "The GraphQL service failed while answering. Try again in a moment.")
	}
	if first != "" {
		refusal = refusal.With("code", first)
	}
	return refusal.WithList("errors", list)
}

// graphPath formats a path with dots, as in transactions.nodes.0.effects.
func graphPath(path []json.RawMessage) string {
	var parts []string
	for _, p := range path {
		parts = append(parts, strings.Trim(string(p), `"`))
	}
	return printable(strings.Join(parts, "."), 120)
}
