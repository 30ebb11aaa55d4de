-- Bundles of transactions that are carried out one after another. session is the
-- conversation that asked; hash names what the bundle does. stopping is why it ends
-- after its present step.
CREATE TABLE bundles (
	id            TEXT    PRIMARY KEY,
	session       TEXT    NOT NULL,
	task          TEXT    NOT NULL,
	network       TEXT    NOT NULL,
	account       BLOB    NOT NULL CHECK (length(account) = 32),
	label         TEXT    NOT NULL,
	hash          BLOB    NOT NULL CHECK (length(hash) = 32),
	state         TEXT    NOT NULL CHECK (state IN ('awaiting_approval', 'running', 'completed', 'stopped', 'rejected', 'expired')),
	approval      TEXT    NOT NULL CHECK (approval IN ('', 'page', 'prior')),
	not_honoured  TEXT    NOT NULL,
	warnings_json TEXT    NOT NULL CHECK (json_valid(warnings_json)),
	reason        TEXT    NOT NULL,
	stopping      TEXT    NOT NULL,
	revision      INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL,
	approve_by    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Of one account at most one runs.
CREATE UNIQUE INDEX bundles_running ON bundles (account) WHERE state = 'running';
CREATE INDEX bundles_live ON bundles (updated_at);

-- The steps, in their order. status is where a step stands; the last four words are
-- those of results. asked_json is what was asked for, and holds no transaction
-- material. handed: a wallet has it, and that it cannot execute is not proved.
CREATE TABLE bundle_steps (
	bundle_id    TEXT    NOT NULL REFERENCES bundles (id) ON DELETE CASCADE,
	place        INTEGER NOT NULL CHECK (place BETWEEN 0 AND 15),
	step_id      TEXT    NOT NULL,
	sequence     INTEGER NOT NULL,
	review_id    TEXT    NOT NULL,
	status       TEXT    NOT NULL CHECK (status IN ('waiting', 'awaiting_wallet', 'submitted', 'confirmed', 'failed', 'pending', 'timeout')),
	tx_hash      TEXT    NOT NULL,
	error        TEXT    NOT NULL,
	handed       INTEGER NOT NULL CHECK (handed IN (0, 1)),
	repeat       INTEGER NOT NULL CHECK (repeat IN (0, 1)),
	submitted_at INTEGER NOT NULL,
	asked_json   TEXT    NOT NULL CHECK (json_valid(asked_json)),
	PRIMARY KEY (bundle_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX bundle_steps_by_review ON bundle_steps (review_id) WHERE review_id <> '';

-- What the person approved before it was asked for again: exactly one bundle of the
-- hash, once. page is the page on which they said so.
CREATE TABLE bundle_approvals (
	hash       BLOB    PRIMARY KEY CHECK (length(hash) = 32),
	account    BLOB    NOT NULL CHECK (length(account) = 32),
	page       TEXT    NOT NULL,
	made_at    INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
