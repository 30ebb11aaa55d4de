-- What a person wants to see of an account, also where it holds none of it. A chain is
-- in the list where its native coin is.
CREATE TABLE watched (
	account   BLOB    NOT NULL CHECK (length(account) = 32),
	coin_type TEXT    NOT NULL,
	ticker    TEXT    NOT NULL,
	decimals  INTEGER NOT NULL CHECK (decimals BETWEEN 0 AND 255),
	source    TEXT    NOT NULL CHECK (source IN ('chain', 'registry', 'unverified')),
	logo      TEXT    NOT NULL,
	price_id  TEXT    NOT NULL,
	added_at  INTEGER NOT NULL,
	PRIMARY KEY (account, coin_type)
) STRICT, WITHOUT ROWID;

-- Actions that programs of the person's asked for, each under the id that its caller
-- chose. digest is of what was asked, so that an id is not used for another action.
-- ticket is the id under which one that waits is shown to a person. action_json is
-- kept only while it waits; it holds no transaction material. result_json is empty
-- until the action is over, and seq orders the results.
CREATE TABLE actions (
	caller      TEXT    NOT NULL,
	id          TEXT    NOT NULL,
	type        TEXT    NOT NULL,
	digest      BLOB    NOT NULL CHECK (length(digest) = 32),
	ticket      TEXT    NOT NULL UNIQUE,
	action_json TEXT    CHECK (json_valid(action_json)),
	result_json TEXT    CHECK (json_valid(result_json)),
	seq         INTEGER NOT NULL,
	at          INTEGER NOT NULL,
	PRIMARY KEY (caller, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX actions_by_caller ON actions (caller, seq);
CREATE INDEX actions_waiting ON actions (seq) WHERE result_json IS NULL;
CREATE INDEX actions_by_time ON actions (at);

-- acts: local changes need no further yes. reads: the address book may be read.
ALTER TABLE access_tokens ADD COLUMN acts INTEGER NOT NULL DEFAULT 0 CHECK (acts IN (0, 1));
ALTER TABLE access_tokens ADD COLUMN reads INTEGER NOT NULL DEFAULT 0 CHECK (reads IN (0, 1));
