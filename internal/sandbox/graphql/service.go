// Package graphql serves queries about the past (transactions and checkpoints), the present
// (balances, objects and simulations), and the service's own limits.
package graphql

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/httpjson"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sandbox/past"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const hugeAnswer = 50_000_000 // bytes

// request is the body of a query.
type request struct {
	Query         string                     `json:"query"`
	Variables     map[string]json.RawMessage `json:"variables"`
	OperationName *string                    `json:"operationName"`
}

// Service answers queries about the chain and recorded transactions. It computes each selected field
// that it supports, so queries may select any subset. The caller's check validates queries against the
// whole schema.
type Service struct {
	ledger   *ledger.Ledger
	faults   *faults.Set
	recorded []*past.Transaction // transactions of another chain; never changes
	check    func(query string, variables []byte) error
	simulate Simulate
}

// NewService lists recorded transactions before the chain's own. check, if not nil, validates each
// query with its variables as a JSON object.
func NewService(l *ledger.Ledger, f *faults.Set, recorded []*past.Transaction, check func(query string,
	variables []byte) error, simulate Simulate) *Service {
	return &Service{l, f, recorded, check, simulate}
}

// ServeHTTP answers a query. It refuses requests with an Origin, so pages cannot query.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" {
		httpjson.Error(w, http.StatusForbidden, "pages may not ask this service")
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		httpjson.Error(w, http.StatusMethodNotAllowed, "GraphQL is POST")
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		httpjson.Error(w, http.StatusUnsupportedMediaType, "send application/json")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload+maxTransaction))
	var q request
	if err == nil && json.Unmarshal(body, &q) != nil && len(body) <= maxPayload {
		httpjson.Error(w, http.StatusBadRequest, "the body is not a GraphQL query")
		return
	}
	if err != nil || len(body)-len(q.Variables["transaction"]) > maxPayload {
		httpjson.Error(w, http.StatusRequestEntityTooLarge, "a query has at most "+strconv.Itoa(maxPayload)+" bytes")
		return
	}
	fields, err := parse(q.Query, q.Variables)
	if err != nil {
		writeError(w, nil, err)
		return
	}
	method := methodOf(fields)
	if s.inject(w, r, method) {
		return
	}
	data, err := s.answer(q, fields, method)
	switch {
	case err != nil:
		writeError(w, nil, err)
	case s.faults.Take(method, faults.PartialError) != nil:
		writeError(w, data, &queryError{"an injected fault inside " + method, "INTERNAL_SERVER_ERROR"}, method, "nodes", 0,
			"effects")
	default:
		httpjson.Write(w, http.StatusOK, map[string]json.RawMessage{"data": data})
	}
}

// methodOf identifies a query by its first field other than the chain identifier, for faults.
func methodOf(fields []selection) string {
	const identifier = "chainIdentifier"
	for _, f := range fields {
		if f.name != identifier {
			return f.name
		}
	}
	return identifier
}

// inject applies an injected fault and reports whether it answered the request.
func (s *Service) inject(w http.ResponseWriter, r *http.Request, method string) bool {
	if s.faults.Delay(r.Context(), method) != nil {
		return true
	}
	hit := s.faults.Take(method, faults.Fail, faults.Refuse, faults.HugeAnswer)
	if hit == nil {
		return false
	}
	switch hit.Kind {
	case faults.Fail:
		httpjson.Error(w, http.StatusServiceUnavailable, "an injected fault: the service fails")
	case faults.Refuse:
		writeError(w, nil, badInput("an injected fault: the service refuses"), method)
	case faults.HugeAnswer:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"chainIdentifier":"`)
		filler := bytes.Repeat([]byte("A"), 1<<20)
		for sent := 0; sent < hugeAnswer; sent += len(filler) {
			if _, err := w.Write(filler); err != nil {
				return true
			}
		}
		_, _ = io.WriteString(w, `"}}`)
	}
	return true
}

// writeError answers with an error at a path, together with data if there is any.
func writeError(w http.ResponseWriter, data json.RawMessage, err error, path ...any) {
	type extensions struct {
		Code string `json:"code"`
	}
	type entry struct {
		Message    string     `json:"message"`
		Path       []any      `json:"path,omitempty"`
		Extensions extensions `json:"extensions"`
	}
	e := entry{Message: err.Error(), Path: path, Extensions: extensions{"INTERNAL_SERVER_ERROR"}}
	var own *queryError
	if errors.As(err, &own) {
		e.Extensions.Code = own.code
	}
	if data == nil {
		data = json.RawMessage("null")
	}
	httpjson.Write(w, http.StatusOK, map[string]any{"data": data, "errors": []entry{e}})
}

// answer computes the data for a valid query.
func (s *Service) answer(q request, fields []selection, method string) (json.RawMessage, error) {
	if s.check != nil {
		variables, err := json.Marshal(q.Variables)
		if err != nil {
			return nil, err
		}
		if err := s.check(q.Query, variables); err != nil {
			return nil, &queryError{err.Error(), "GRAPHQL_VALIDATION_FAILED"}
		}
	}
	var out bytes.Buffer
	if err := s.root(method).write(&out, fields); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// root returns the supported part of the schema's Query.
func (s *Service) root(method string) reply {
	v := view{method: method, faults: s.faults, chain: s.ledger.Chain(), checkpoints: s.ledger.Checkpoints(),
		recorded: s.recorded}
	if p := s.faults.Take("", faults.Prune); p != nil {
		v.first = min(p.Number, uint64(len(v.checkpoints)-1))
	}
	now := present{s.ledger, s.simulate}
	return typed("Query", map[string]field{
		"address": now.address, "object": now.object, "multiGetObjects": now.multiGetObjects,
		"simulateTransaction": now.simulation,
		"chainIdentifier":     fixed(text(v.chain.String())), "transactions": v.transactions, "transaction": v.transaction,
		"checkpoint": v.checkpoint, "multiGetCheckpoints": v.multiGetCheckpoints, "serviceConfig": fixed(v.serviceConfig()),
	})
}

// view is a query's snapshot of the chain. Outcomes on the chain do not change.
type view struct {
	method      string
	faults      *faults.Set
	chain       sui.Digest
	checkpoints []ledger.Checkpoint
	recorded    []*past.Transaction
	first       uint64 // the oldest checkpoint that was not pruned
}

// all lists every transaction by place, nil if pruned: first the recorded ones, whose checkpoints
// belong to another chain, then the chain's own, each oldest first.
func (v view) all() []*past.Transaction {
	all := slices.Clone(v.recorded)
	for _, c := range v.checkpoints {
		switch {
		case c.Executed == nil:
		case c.Number < v.first:
			all = append(all, nil)
		default:
			all = append(all, past.Of(c.Executed))
		}
	}
	return all
}

// functionFilter is package, package::module or package::module::function.
type functionFilter struct {
	pkg              sui.ObjectID
	module, function string
}

// parseFunction reads a function filter: one to three names between "::".
func parseFunction(s string) (functionFilter, error) {
	parts := strings.Split(s, "::")
	pkg, err := sui.NormalizeAddress(parts[0])
	if err != nil || len(parts) > 3 {
		return functionFilter{}, badInput("Invalid filter: function")
	}
	f := functionFilter{pkg: pkg}
	for i, p := range parts[1:] {
		if !sui.ValidIdentifier(p) {
			return functionFilter{}, badInput("Invalid filter: function")
		}
		if i == 0 {
			f.module = p
		} else {
			f.function = p
		}
	}
	return f, nil
}
