-- Requests: what somebody asked for, as steps that are signed each by itself or all in
-- one transaction. It replaces bundles, whose rows it keeps, and has a row for what
-- needs no approval before it is signed too (state signing). review is the review of
-- the one transaction that a request began as. plan, place and call say which call
-- asked for which group of a plan.
CREATE TABLE requests (
	id            TEXT    PRIMARY KEY,
	session       TEXT    NOT NULL,
	task          TEXT    NOT NULL,
	network       TEXT    NOT NULL,
	account       BLOB    NOT NULL CHECK (length(account) = 32),
	label         TEXT    NOT NULL,
	hash          BLOB    NOT NULL CHECK (length(hash) = 32),
	mode          TEXT    NOT NULL CHECK (mode IN ('steps', 'atomic')),
	state         TEXT    NOT NULL CHECK (state IN ('signing', 'awaiting_approval', 'running', 'completed', 'stopped', 'rejected', 'expired')),
	approval      TEXT    NOT NULL CHECK (approval IN ('', 'page', 'prior')),
	not_honoured  TEXT    NOT NULL,
	warnings_json TEXT    NOT NULL CHECK (json_valid(warnings_json)),
	accepted_json TEXT    NOT NULL CHECK (json_valid(accepted_json)),
	reason        TEXT    NOT NULL,
	stopping      TEXT    NOT NULL,
	review        TEXT    NOT NULL,
	plan          TEXT    NOT NULL,
	place         INTEGER NOT NULL CHECK (place BETWEEN 0 AND 19),
	call          TEXT    NOT NULL,
	revision      INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL,
	approve_by    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO requests SELECT id, session, task, network, account, label, hash, mode, state, approval, not_honoured, warnings_json,
	accepted_json, reason, stopping, instead, '', 0, '', revision, created_at, updated_at, approve_by FROM bundles;

CREATE TABLE request_steps (
	request_id   TEXT    NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
	place        INTEGER NOT NULL CHECK (place BETWEEN 0 AND 15),
	step_id      TEXT    NOT NULL,
	sequence     INTEGER NOT NULL,
	review_id    TEXT    NOT NULL,
	status       TEXT    NOT NULL CHECK (status IN ('waiting', 'awaiting_wallet', 'submitted', 'confirmed', 'failed', 'pending', 'timeout')),
	tx_hash      TEXT    NOT NULL,
	error        TEXT    NOT NULL,
	handed       INTEGER NOT NULL CHECK (handed IN (0, 1)),
	submitted_at INTEGER NOT NULL,
	asked_json   TEXT    NOT NULL CHECK (json_valid(asked_json)),
	PRIMARY KEY (request_id, place)
) STRICT, WITHOUT ROWID;
INSERT INTO request_steps SELECT bundle_id, place, step_id, sequence, review_id, status, tx_hash, error, handed, submitted_at, asked_json
	FROM bundle_steps;

-- What is open and no step of a bundle is a request of its own. A damaged row, or a second
-- task of one review, is passed over: it must not keep the whole store from opening.
INSERT OR IGNORE INTO requests SELECT r.id, t.session, t.id, r.network, r.account, '', zeroblob(32), 'atomic', 'signing', '', '', '[]', '[]', '', '',
	r.id, '', 0, '', 1, r.created_at, r.updated_at, r.expires_at
	FROM reviews AS r JOIN tasks AS t ON t.subject = 'review/' || r.id
	WHERE r.status NOT IN ('success', 'failure', 'expired') AND json_valid(r.intent_json)
		AND NOT EXISTS (SELECT 1 FROM bundle_steps WHERE review_id = r.id);
INSERT OR IGNORE INTO request_steps SELECT q.id, s.key, s.key + 1, s.key, q.id, 'awaiting_wallet', '', '',
	EXISTS (SELECT 1 FROM releases WHERE review_id = q.id AND dead = 0), 0,
	json_object('chain', 'Sui', 'wait', json('true'), 'timeout', 60000000000, 'intent', json(s.value), 'protocol',
		coalesce(s.value ->> '$.protocol', ''))
	FROM requests AS q JOIN reviews AS r ON r.id = q.id,
		json_each(coalesce(r.intent_json -> '$.steps', json_array(json(r.intent_json)))) AS s
	WHERE q.state = 'signing';

-- An action of a program waits for its request, by whichever name it had.
UPDATE request_steps SET step_id = coalesce(a.review_json ->> '$.step.id', step_id),
	sequence = coalesce(a.review_json ->> '$.step.sequence', sequence)
	FROM actions AS a WHERE a.review_json ->> '$.review' = request_steps.request_id AND request_steps.place = 0;
UPDATE actions SET review_json = json_object('request', coalesce(review_json ->> '$.review', review_json ->> '$.bundle'))
	WHERE review_json IS NOT NULL;

-- Plans keep what was asked for as one text; what a group has come to is its latest
-- request. A plan of an earlier version did not say that of its transactions, so it
-- ends: it has no groups any more.
ALTER TABLE plans ADD COLUMN groups_json TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(groups_json));

DROP TABLE plan_groups;
DROP TABLE bundle_steps;
DROP TABLE bundles;
ALTER TABLE bundle_approvals RENAME TO request_approvals;

-- Of one account at most one request of several transactions runs.
CREATE UNIQUE INDEX requests_running ON requests (account) WHERE state = 'running';
CREATE INDEX requests_waiting ON requests (created_at) WHERE state = 'awaiting_approval';
CREATE UNIQUE INDEX requests_by_review ON requests (review) WHERE review <> '';
CREATE INDEX requests_of_session ON requests (session, created_at);
CREATE INDEX requests_of_account ON requests (account, created_at);
CREATE INDEX requests_of_plan ON requests (plan, place, created_at) WHERE plan <> '';
CREATE INDEX requests_live ON requests (updated_at);
CREATE INDEX request_steps_by_review ON request_steps (review_id) WHERE review_id <> '';

-- A page that leads may hand the lead on to the page that it opens.
ALTER TABLE links ADD COLUMN leads INTEGER NOT NULL DEFAULT 0 CHECK (leads IN (0, 1));
