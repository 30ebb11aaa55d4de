-- The last checkpoint of each epoch that was followed, as its validators signed it:
-- what the committees of a chain rest on, and what a saved proof carries. The first
-- row of a chain is an anchor's own, which needs no signature. A row is never
-- changed, so that nothing that was verified is taken back.
CREATE TABLE epoch_ends (
	chain     BLOB    NOT NULL CHECK (length(chain) = 32),
	epoch     INTEGER NOT NULL CHECK (epoch >= 0),
	summary   BLOB    NOT NULL CHECK (length(summary) BETWEEN 1 AND 1048576),
	signature BLOB    NOT NULL CHECK (length(signature) IN (0, 48)),
	bitmap    BLOB    NOT NULL CHECK (length(bitmap) <= 65536),
	PRIMARY KEY (chain, epoch)
) STRICT;
