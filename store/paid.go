package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Payees stores the recipients of successful reviews.
type Payees struct{ *engine }

func (Payees) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(checkRows(ctx, s, scanPaid, selectPaid), checkRows(ctx, s, scanPaidName, selectPaidNames))
}

// Paid returns the addresses that an account paid in successful reviews, without duplicates, latest
// first. Imported reviews do not count: their releases have no nonce from this machine. A release
// by an earlier version has one recipient, not one per step.
func (db Payees) Paid(ctx context.Context, account sui.Address) ([]sui.Address, error) {
	return validRows(ctx, db, nil, scanPaid, selectPaid+` WHERE account = ?1 AND recipient <> '0x' || lower(hex(?1))
		ORDER BY at DESC LIMIT 1000`, account[:])
}

const selectPaid = `SELECT recipient, at FROM paid`

func scanPaid(r *sql.Rows, a *sui.Address) error {
	var text string
	var at int64
	c := scanColumns(r, "paid", &text, &text, &at)
	c.must(a.UnmarshalText([]byte(text)) == nil && a.String() == text, "the recipient is not an address")
	c.time("at", at)
	return c.err
}

// Payments returns how often each address was paid from this machine by any account. Addresses that
// were never paid are omitted.
func (db Payees) Payments(ctx context.Context, addresses []string) (map[string]record.Payments, error) {
	list, err := json.Marshal(addresses)
	if err != nil {
		return nil, failed(err)
	}
	type paid struct {
		recipient string
		times     int
		at        int64
		facts     sql.NullString
	}
	found, err := find(ctx, db, func(r *sql.Rows, p *paid) error {
		return r.Scan(&p.recipient, &p.times, &p.at, &p.facts)
	},
		`SELECT p.recipient, sum(p.times), max(p.at), (SELECT f.facts_json FROM releases AS f WHERE f.review_id = p.review
			AND f.dead = 0 AND f.signed_at > 0 LIMIT 1)
		FROM paid AS p WHERE p.recipient IN (SELECT value FROM json_each(?)) GROUP BY p.recipient`, string(list))
	out := map[string]record.Payments{}
	for _, p := range found {
		one := record.Payments{Times: p.times, At: time.Unix(0, p.at).UTC()}
		var facts plan.Facts
		if json.Unmarshal([]byte(p.facts.String), &facts) == nil {
			one.Last = sentTo(facts, p.recipient)
		}
		out[p.recipient] = one
	}
	return out, err
}

// sentTo returns the amount that the last step paying recipient sends, or "" if the step sends
// another step's result, whose amount is not in the facts.
func sentTo(f plan.Facts, recipient string) (amount string) {
	for _, s := range f.Steps {
		if s.Sends.String() == recipient && s.ResultOf == 0 {
			amount = s.Promise.Amount(plan.RoleInput).String()
		}
	}
	return amount
}

// madeHere selects the steps of a review's successful releases, if the review was made on this
// machine.
const madeHere = ` FROM reviews AS v JOIN releases AS f ON f.review_id = v.id JOIN json_each(CASE WHEN %s END) AS step
	WHERE v.id = ? AND v.status = 'success' AND f.signed_at > 0 AND f.dead = 0 AND f.nonce_hash <> zeroblob(32)`

// notePaid records the recipients that a review paid, and the SuiNS names used for them.
func notePaid(ctx context.Context, x *tx, id record.ID) error {
	_, err := x.exec(ctx,
		`INSERT INTO paid SELECT v.account, coalesce(step.value ->> '$.sends', f.facts_json ->> '$.recipient') AS paid, max(f.at), 1, v.id`+
			fmt.Sprintf(madeHere, `json_type(f.facts_json, '$.steps') = 'array' THEN f.facts_json -> '$.steps' ELSE '[{}]'`)+`
		AND paid IS NOT NULL GROUP BY paid ON CONFLICT DO UPDATE SET at = max(at, excluded.at), times = times + (review <> excluded.review),
		review = excluded.review`, string(id))
	if err != nil {
		return err
	}
	_, err = x.exec(ctx,
		`INSERT INTO paid_names SELECT step.value ->> '$.recipientName' AS name, coalesce(step.value ->> '$.recipient', ''),
		coalesce(step.value ->> '$.recipientNft', ''), max(f.at)`+
			fmt.Sprintf(madeHere,
				`json_type(v.intent_json, '$.steps') = 'array' THEN v.intent_json -> '$.steps' ELSE json_array(json(v.intent_json))`)+`
		AND name IS NOT NULL GROUP BY name ON CONFLICT DO UPDATE SET recipient = excluded.recipient, nft = excluded.nft, at = excluded.at
		WHERE excluded.at >= paid_names.at`, string(id))
	return err
}
