package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Paid returns the addresses that an account paid by reviews that ended in success,
// each once, the latest first. Imported reviews do not count: their releases have no
// nonce of this machine. Releases of earlier builds name one recipient instead of one
// for each step.
func (db *DB) Paid(ctx context.Context, account sui.Address) ([]sui.Address, error) {
	return validRows(ctx, db, nil, func(r *sql.Rows, a *sui.Address) error {
		var text string
		c := scanColumns(r, "releases", nil, &text)
		c.must(a.UnmarshalText([]byte(text)) == nil && a.String() == text, "the recipient of what was shown is none")
		return c.err
	}, selectPayees+` AND v.account = ? GROUP BY paid HAVING paid != max(f.facts_json ->> '$.sender')
		ORDER BY max(f.at) DESC LIMIT 1000`, account[:])
}

// selectPayees reads the recipients of payments that were made on this machine.
const selectPayees = `SELECT coalesce(step.value ->> '$.sends', f.facts_json ->> '$.recipient') AS paid
	FROM reviews AS v JOIN releases AS f ON f.review_id = v.id
	JOIN json_each(CASE WHEN json_type(f.facts_json, '$.steps') = 'array' THEN f.facts_json -> '$.steps' ELSE '[{}]' END) AS step
	WHERE v.status = 'success' AND f.signed_at > 0 AND f.dead = 0 AND f.nonce_hash <> zeroblob(32)
		AND json_valid(f.facts_json) AND paid IS NOT NULL`
