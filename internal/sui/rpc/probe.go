package rpc

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reach checks an address immediately before dialing.
type Reach = provider.Reach

// maxProbe limits the size of a response with a chain's identifier.
const maxProbe = 16 << 10

// GraphQLChain requests the chain identifier from a Sui GraphQL service: the base58 digest of the
// genesis checkpoint. Older services return its first four bytes in hexadecimal; the rest of the digest
// is then zero. It follows no redirects and ignores proxy environment variables. It returns
// fault.InputInvalid for a malformed address, fault.ProviderUnavailable if the service cannot be
// reached, and fault.ProviderMismatch for any other answer.
func GraphQLChain(ctx context.Context, url string, reach Reach) (sui.Digest, string, error) {
	if err := checkGraphQL(url); err != nil {
		return sui.Digest{}, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url,
		bytes.NewReader([]byte(`{"query":"{chainIdentifier}"}`)))
	if err != nil {
		return sui.Digest{}, "", fault.Wrap(err, fault.InputInvalid, "The GraphQL address cannot be used.")
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json")
	q.Header.Set("Accept-Encoding", "identity")
	client := &http.Client{
		Transport: &http.Transport{
			DialContext: reach.Dialer(defaultTimeout).DialContext, DisableCompression: true, DisableKeepAlives: true,
			MaxResponseHeaderBytes: maxHeaders, TLSHandshakeTimeout: defaultTimeout, ResponseHeaderTimeout: defaultTimeout,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(q)
	if err != nil {
		return sui.Digest{}, "", unreached(err)
	}
	defer func() { _ = answer.Body.Close() }()
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxProbe+1))
	if err != nil {
		return sui.Digest{}, "", unreached(err)
	}
	if answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests {
		return sui.Digest{}, "", unreached(errors.New(answer.Status))
	}
	if answer.StatusCode != http.StatusOK || len(body) > maxProbe ||
		(kind != "application/json" && kind != "application/graphql-response+json") {
		return sui.Digest{}, "", noGraphQL()
	}
	return readChain(body)
}

func unreached(err error) error {
	var own *fault.Error
	if errors.As(err, &own) {
		return own // reach refused the address
	}
	return fault.Wrap(err, fault.ProviderUnavailable,
		"The GraphQL service cannot be reached or did not answer in %d seconds.",
		int(defaultTimeout/time.Second))
}

func noGraphQL() error {
	return fault.New(fault.ProviderMismatch,
		"This is not a Sui GraphQL service. Its address usually ends in /graphql.")
}

// readChain reads the answer to {chainIdentifier}.
func readChain(body []byte) (sui.Digest, string, error) {
	var answer struct {
		Data struct {
			Chain string `json:"chainIdentifier"`
		} `json:"data"`
		Errors []json.RawMessage `json:"errors"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Errors) > 0 {
		return sui.Digest{}, "", noGraphQL()
	}
	d, err := graphChain(answer.Data.Chain)
	if err != nil {
		return sui.Digest{}, "", err
	}
	return d, answer.Data.Chain, nil
}

// graphChain parses a chain identifier in the formats of GraphQL services.
func graphChain(reported string) (sui.Digest, error) {
	if b, err := hex.DecodeString(reported); err == nil && len(b) == 4 {
		var d sui.Digest
		copy(d[:], b)
		return d, nil
	}
	d, err := sui.ParseDigest(reported)
	if err != nil || d.IsZero() {
		return sui.Digest{}, noGraphQL()
	}
	return d, nil
}
