package store

import (
	"context"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const (
	requestsOfSession = `SELECT created_at FROM requests WHERE session >= ?1 AND session < ?2 AND created_at > ?3`
	requestsOfAccount = `SELECT created_at FROM requests WHERE account = ?1 AND created_at > ?2 AND created_at <= ?3`

	latestFirst = ` ORDER BY created_at DESC LIMIT 1 OFFSET ?`
)

// mayAsk returns fault.RateLimited if the conversation, all conversations of its connection
// together, or the account made too many requests.
func mayAsk(ctx context.Context, x *tx, conversation string, account sui.Address) error {
	if x.db.requests <= 0 {
		return nil
	}
	from, before := conversation, conversation+"\x00"
	if all, ok := remotes.Connection(conversation); ok {
		from, before = all, strings.TrimSuffix(all, "_")+"`" // the character after the underscore
	}
	since := nanoseconds(x.now.Add(-request.Window))
	//mutant:never ./store TestRequestRate/one conversation
	if err := mayRequest(ctx, x, "This client", x.db.requests, requestsOfSession, from, before, since); err != nil {
		return err
	}
	stored, err := storedSettings(ctx, x)
	if err != nil {
		return err
	}
	return mayRequest(ctx, x, "This account", stored.Allowance.MostRequests(), requestsOfAccount, account[:], since,
		nanoseconds(x.now))
}

// mayRequest returns fault.RateLimited if the query finds limit requests or more. The error
// includes the time when the next one is allowed.
func mayRequest(ctx context.Context, x *tx, whose string, limit int, query string, args ...any) error {
	found, err := column[int64](ctx, x, query+latestFirst,
		append(args, limit-1)...)
	//mutant:always `len(found) == 0` ./store TestRequestRate/one account
	if err != nil || len(found) == 0 {
		return err
	}
	return request.TooMany(whose, limit, timeOf(found[0]))
}

// RequestNumber counts an account's requests in the request.Window that ends at at, including one
// made at that time.
func (db Requests) RequestNumber(ctx context.Context, account sui.Address, at time.Time) (int, error) {
	return single[int](ctx, db,
		`SELECT count(*) FROM (`+requestsOfAccount+`)`, account[:], nanoseconds(at.Add(-request.Window)), nanoseconds(at))
}
