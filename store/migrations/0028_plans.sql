-- Plans: groups of steps that run as bundles, of which some wait for others. session is
-- the conversation that set it. account is the one that it was found well for, empty before.
CREATE TABLE plans (
	id         TEXT    PRIMARY KEY,
	session    TEXT    NOT NULL,
	account    BLOB    NOT NULL CHECK (length(account) IN (0, 32)),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX plans_old ON plans (updated_at);

-- The groups, in the order in which they were given. call is the call that asked for the
-- bundle or the review; what a group has come to is read from that, and stored nowhere
-- else. asked_json is what was asked for, and holds no transaction material.
CREATE TABLE plan_groups (
	plan_id    TEXT    NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
	place      INTEGER NOT NULL CHECK (place BETWEEN 0 AND 19),
	call       TEXT    NOT NULL,
	bundle_id  TEXT    NOT NULL,
	review_id  TEXT    NOT NULL,
	asked_json TEXT    NOT NULL CHECK (json_valid(asked_json)),
	PRIMARY KEY (plan_id, place)
) STRICT, WITHOUT ROWID;
-- No bundle is of two groups.
CREATE UNIQUE INDEX plan_groups_by_bundle ON plan_groups (bundle_id) WHERE bundle_id <> '';

-- Calls that are to be answered by the bus. A row goes in the transaction of its answer.
CREATE TABLE plan_calls (
	id      TEXT    PRIMARY KEY,
	plan_id TEXT    NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
	session TEXT    NOT NULL,
	tool    TEXT    NOT NULL,
	at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
