-- What past transactions did, of accounts that a wallet gave here alone, as told
-- by a provider on one chain. A row names no party but its account. checkpoint
-- -1 and at 0: not told. at is nanoseconds; amounts are signed decimal texts.
CREATE TABLE activity_chain (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	chain BLOB    NOT NULL CHECK (length(chain) = 32)
) STRICT;

CREATE TABLE activity_transactions (
	account       BLOB    NOT NULL CHECK (length(account) = 32),
	digest        BLOB    NOT NULL CHECK (length(digest) = 32),
	checkpoint    INTEGER NOT NULL,
	at            INTEGER NOT NULL,
	status        TEXT    NOT NULL CHECK (status IN ('success', 'failure', 'unknown')),
	role          TEXT    NOT NULL,
	completeness  TEXT    NOT NULL,
	incomplete    TEXT    NOT NULL,
	facts_json    TEXT    NOT NULL,
	UNIQUE (account, digest)
) STRICT;
CREATE INDEX activity_by_time ON activity_transactions (account, at, checkpoint);
-- What few rows are, so that counting them does not read all.
CREATE INDEX activity_failed ON activity_transactions (account, at) WHERE status = 'failure';
CREATE INDEX activity_unknown ON activity_transactions (account, at) WHERE status = 'unknown';
CREATE INDEX activity_incomplete ON activity_transactions (account, at) WHERE incomplete <> '';
CREATE INDEX activity_uncertain ON activity_transactions (account, at) WHERE completeness <> 'complete';

CREATE TABLE activity_flows (
	account   BLOB    NOT NULL CHECK (length(account) = 32),
	at        INTEGER NOT NULL,
	digest    BLOB    NOT NULL CHECK (length(digest) = 32),
	coin_type TEXT    NOT NULL,
	amount    TEXT    NOT NULL,
	PRIMARY KEY (account, at, digest, coin_type)
) STRICT, WITHOUT ROWID;

-- Runs of checkpoints of which everything that concerns the account is stored;
-- since and until are milliseconds.
CREATE TABLE activity_coverage (
	account         BLOB    NOT NULL CHECK (length(account) = 32),
	relationship    TEXT    NOT NULL CHECK (relationship IN ('affected', 'sent')),
	from_checkpoint INTEGER NOT NULL,
	to_checkpoint   INTEGER NOT NULL,
	since           INTEGER NOT NULL,
	until           INTEGER NOT NULL,
	PRIMARY KEY (account, relationship, from_checkpoint)
) STRICT, WITHOUT ROWID;
