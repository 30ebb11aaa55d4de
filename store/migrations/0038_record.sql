-- Entries of the record of requests are events of the log that trimming leaves alone, so
-- the indexes that trimming reads do not have them.
DROP INDEX log_by_time;
CREATE INDEX log_by_time ON log (at) WHERE type <> 'record.entry';
DROP INDEX log_inside;
CREATE INDEX log_inside ON log (seq) WHERE audience = 1 AND type <> 'record.entry';

-- The names that entries commit to, with the salts. An export has them only if the user
-- discloses them.
CREATE TABLE record_names (
	chain  BLOB    NOT NULL CHECK (length(chain) = 32),
	number INTEGER NOT NULL,
	field  TEXT    NOT NULL,
	salt   BLOB    NOT NULL CHECK (length(salt) = 32),
	name   TEXT    NOT NULL,
	PRIMARY KEY (chain, number, field)
) STRICT, WITHOUT ROWID;

-- What wallets signed of a chain: the message has the chain, the entry and its hash.
CREATE TABLE record_signatures (
	chain     BLOB    NOT NULL CHECK (length(chain) = 32),
	number    INTEGER NOT NULL,
	account   BLOB    NOT NULL CHECK (length(account) = 32),
	message   TEXT    NOT NULL,
	signature TEXT    NOT NULL,
	signed_at INTEGER NOT NULL,
	PRIMARY KEY (chain, number, account)
) STRICT, WITHOUT ROWID;
