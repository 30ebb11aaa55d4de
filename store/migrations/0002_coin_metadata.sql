-- What chains said of coins. found 0 is an answer too: the chain had no
-- description. Symbol and name are text of unknown authors.
CREATE TABLE coin_metadata (
	chain      BLOB    NOT NULL CHECK (length(chain) = 32),
	coin_type  TEXT    NOT NULL,
	found      INTEGER NOT NULL CHECK (found IN (0, 1)),
	decimals   INTEGER NOT NULL CHECK (decimals BETWEEN 0 AND 255),
	symbol     TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	checked_at INTEGER NOT NULL,
	PRIMARY KEY (chain, coin_type)
) STRICT, WITHOUT ROWID;
CREATE INDEX coin_metadata_by_age ON coin_metadata (checked_at);
