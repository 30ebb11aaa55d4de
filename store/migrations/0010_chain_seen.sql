-- What is known of the time and the gas price of each chain: the highest epoch
-- that was taken for true, since when, and the gas price of the last transaction
-- of this machine that executed, 0 where none did.
CREATE TABLE chain_seen (
	chain     BLOB    NOT NULL PRIMARY KEY CHECK (length(chain) = 32),
	epoch     INTEGER NOT NULL CHECK (epoch >= 0),
	since     INTEGER NOT NULL,
	gas_price INTEGER NOT NULL CHECK (gas_price >= 0)
) STRICT, WITHOUT ROWID;
