// Package graphql serves what clients ask of the past: transactions, checkpoints
// and the service's own limits.
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
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/httpjson"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sandbox/past"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// path is where the GraphQL service answers. It reads a question's
// selection itself and computes each field that it has, so that other shapes of
// the same question are answered too; that a question fits the whole schema is
// proved by Config.CheckQuery, which tests set.
const path = "/graphql"

const hugeAnswer = 50_000_000 // bytes

// request is the body of a question.
type request struct {
	Query         string                     `json:"query"`
	Variables     map[string]json.RawMessage `json:"variables"`
	OperationName *string                    `json:"operationName"`
}

// Service answers queries about the chain and about recorded transactions.
type Service struct {
	ledger   *ledger.Ledger
	faults   *faults.Set
	recorded []*past.Transaction // transactions of elsewhere; never changes
	check    func(query string, variables []byte) error
}

// NewService lists recorded transactions before the chain's own. check judges each
// query, with its variables as a JSON object, before it is answered; may be nil.
func NewService(l *ledger.Ledger, f *faults.Set, recorded []*past.Transaction, check func(query string, variables []byte) error) *Service {
	return &Service{l, f, recorded, check}
}

// ServeHTTP answers one query. No page may ask: a request with an Origin is
// refused.
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, graphPayload))
	if err != nil {
		httpjson.Error(w, http.StatusRequestEntityTooLarge, "a question has at most "+strconv.Itoa(graphPayload)+" bytes")
		return
	}
	var q request
	if json.Unmarshal(body, &q) != nil {
		httpjson.Error(w, http.StatusBadRequest, "the body is not a GraphQL question")
		return
	}
	method, err := s.askedFor(q)
	if err != nil {
		writeGraphError(w, nil, err)
		return
	}
	if s.befallGraph(w, r, method) {
		return
	}
	data, err := s.answerGraph(q, method)
	switch {
	case err != nil:
		writeGraphError(w, nil, err)
	case s.faults.Take(method, faults.PartialError) != nil:
		writeGraphError(w, data, &queryError{"the sandbox was told to fail inside " + method, "INTERNAL_SERVER_ERROR"}, method, "nodes", 0, "effects")
	default:
		httpjson.Write(w, http.StatusOK, map[string]json.RawMessage{"data": data})
	}
}

// askedFor names the question by its last field that is not the chain's name.
func (s *Service) askedFor(q request) (string, error) {
	fields, err := parse(q.Query, q.Variables)
	if err != nil {
		return "", err
	}
	method := "chainIdentifier"
	for _, f := range fields {
		if f.name != method {
			return f.name, nil
		}
	}
	return method, nil
}

// befallGraph does what the service was told to do instead of answering; true
// means that the question is answered.
func (s *Service) befallGraph(w http.ResponseWriter, r *http.Request, method string) bool {
	if slow := s.faults.Take(method, faults.Slow); slow != nil {
		select {
		case <-time.After(time.Duration(slow.Milliseconds) * time.Millisecond):
		case <-r.Context().Done():
			return true
		}
	}
	hit := s.faults.Take(method, faults.Fail, faults.Refuse, faults.HugeAnswer)
	if hit == nil {
		return false
	}
	switch hit.Kind {
	case faults.Fail:
		httpjson.Error(w, http.StatusServiceUnavailable, "the sandbox was told to fail")
	case faults.Refuse:
		writeGraphError(w, nil, badInput("the sandbox was told to refuse"), method)
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

// writeGraphError answers with an error at a path, beside data if there is any.
func writeGraphError(w http.ResponseWriter, data json.RawMessage, err error, path ...any) {
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

// answerGraph computes the data of an answer.
func (s *Service) answerGraph(q request, method string) (json.RawMessage, error) {
	if s.check != nil {
		variables, err := json.Marshal(q.Variables)
		if err != nil {
			return nil, err
		}
		if err := s.check(q.Query, variables); err != nil {
			return nil, &queryError{err.Error(), "GRAPHQL_VALIDATION_FAILED"}
		}
	}
	fields, err := parse(q.Query, q.Variables)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := s.graphRoot(method).write(&out, fields); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// graphRoot is the Query of the schema, as far as it is served.
func (s *Service) graphRoot(method string) reply {
	v := view{method: method, faults: s.faults, chain: s.ledger.Chain(), checkpoints: s.ledger.Checkpoints(), recorded: s.recorded}
	if p := s.faults.Take("", faults.Prune); p != nil {
		v.first = min(p.Number, uint64(len(v.checkpoints)-1))
	}
	return typed("Query", map[string]field{
		"chainIdentifier": fixed(text(v.chain.String())), "transactions": v.transactions, "transaction": v.transaction,
		"checkpoint": v.checkpoint, "multiGetCheckpoints": v.multiGetCheckpoints, "serviceConfig": fixed(v.serviceConfig()),
	})
}

// view is the chain at the moment of one question. Outcomes do not change
// once they are part of the chain.
type view struct {
	method      string
	faults      *faults.Set
	chain       sui.Digest
	checkpoints []ledger.Checkpoint
	recorded    []*past.Transaction
	first       uint64 // the oldest checkpoint that is still there
}

// all lists every transaction by place, nil where it is no longer there: the
// recorded ones, whose checkpoints are of another chain, and then the chain's
// own, each the oldest first.
func (v view) all() []*past.Transaction {
	all := slices.Clone(v.recorded)
	for _, c := range v.checkpoints {
		switch {
		case c.Tx == nil:
		case c.Seq < v.first:
			all = append(all, nil)
		default:
			all = append(all, past.Of(c.Tx))
		}
	}
	return all
}

// functionFilter is package, package::module or package::module::function.
type functionFilter struct {
	pkg              sui.ObjectID
	module, function string
}

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
