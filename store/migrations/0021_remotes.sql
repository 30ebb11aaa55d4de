-- Machines elsewhere that asked to use this program, and what a person decided. scope is
-- empty while one waits. Times are zero where there is none.
CREATE TABLE remotes (
	key        BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
	profile    TEXT    NOT NULL,
	code       TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	scope      TEXT    NOT NULL CHECK (scope IN ('', 'read_only', 'all_tools')),
	asked_at   INTEGER NOT NULL,
	ends_at    INTEGER NOT NULL,
	revoked_at INTEGER NOT NULL,
	seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
