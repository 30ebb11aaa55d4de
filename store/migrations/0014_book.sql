-- The address book. deleted_at is 0 for an entry that is there; a deleted one is kept
-- for some time, so that its deletion can be undone. Whether an address was paid from
-- here is read from the releases and never stored beside the name.
CREATE TABLE book (
	id         TEXT    PRIMARY KEY,
	title      TEXT    NOT NULL,
	address    TEXT    NOT NULL,
	chain      TEXT    NOT NULL,
	source     TEXT    NOT NULL CHECK (source IN ('agent', 'import')),
	created_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
