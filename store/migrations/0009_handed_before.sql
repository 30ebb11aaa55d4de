-- What was handed out here before a copy took the place of the reviews, as far as
-- the sums of a day need it. It goes with the limits, when everything is forgotten.
CREATE TABLE handed_before (
	review_id     TEXT    NOT NULL,
	digest        BLOB    NOT NULL CHECK (length(digest) = 32),
	at            INTEGER NOT NULL,
	signed_at     INTEGER NOT NULL,
	gas_coin_json TEXT    NOT NULL CHECK (json_valid(gas_coin_json)),
	takes_json    TEXT    NOT NULL CHECK (json_valid(takes_json)),
	settled       TEXT    NOT NULL,
	moved         INTEGER NOT NULL CHECK (moved IN (0, 1)),
	PRIMARY KEY (review_id, digest)
) STRICT, WITHOUT ROWID;
