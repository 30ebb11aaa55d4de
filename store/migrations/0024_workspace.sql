-- Folders of this machine that a person registered as projects, and changes of files in
-- them. root is a path of this machine. before_text and after_text are what a file held
-- and is to hold; they are emptied when a change cannot be undone any more. Times are
-- zero where there is none.
CREATE TABLE workspace_folders (
	key      TEXT    NOT NULL PRIMARY KEY,
	root     TEXT    NOT NULL,
	mode     TEXT    NOT NULL CHECK (mode IN ('read_only', 'confirm', 'auto')),
	added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workspace_changes (
	id          TEXT    NOT NULL PRIMARY KEY,
	project     TEXT    NOT NULL,
	root        TEXT    NOT NULL,
	path        TEXT    NOT NULL,
	description TEXT    NOT NULL,
	created     INTEGER NOT NULL CHECK (created IN (0, 1)),
	diff        TEXT    NOT NULL,
	note        TEXT    NOT NULL,
	before_text BLOB    NOT NULL,
	after_text  BLOB    NOT NULL,
	state       TEXT    NOT NULL CHECK (state IN ('waiting', 'applying', 'applied', 'failed', 'declined', 'withdrawn', 'undone')),
	reason      TEXT    NOT NULL,
	session     TEXT    NOT NULL,
	made_at     INTEGER NOT NULL,
	changed_at  INTEGER NOT NULL,
	held_until  INTEGER NOT NULL
) STRICT;

CREATE INDEX workspace_changes_by_time ON workspace_changes (made_at);
