-- Whether nothing is handed to a wallet at present. That the row is there says so,
-- whatever it holds.
CREATE TABLE freeze (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	at INTEGER NOT NULL
) STRICT;
