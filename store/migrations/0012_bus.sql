-- The log of the bus. Its id names this log in cursors: another one after
-- everything was replaced, so that a cursor of before is not taken for one of it.
CREATE TABLE log_id (
	id  INTEGER PRIMARY KEY CHECK (id = 1),
	log TEXT    NOT NULL CHECK (length(log) = 32)
) STRICT;
INSERT INTO log_id VALUES (1, lower(hex(randomblob(16))));

-- Events, each appended in the transaction that makes it true. session '' is no
-- conversation in particular. audience is a sum: 1 waiting calls and page streams
-- of the program, 2 pages, 4 the agent, 8 the worker. A change of a stored thing
-- has the number of its journal row.
CREATE TABLE log (
	seq          INTEGER PRIMARY KEY AUTOINCREMENT,
	type         TEXT    NOT NULL,
	subject      TEXT    NOT NULL,
	session      TEXT    NOT NULL,
	audience     INTEGER NOT NULL CHECK (audience BETWEEN 1 AND 15),
	dedup        TEXT    NOT NULL,
	payload_json TEXT    NOT NULL CHECK (json_valid(payload_json)),
	at           INTEGER NOT NULL
) STRICT;
CREATE INDEX log_by_session ON log (session, seq) WHERE audience <> 1;
CREATE INDEX log_by_subject ON log (subject, seq);
CREATE INDEX log_by_time ON log (at);
CREATE UNIQUE INDEX log_once ON log (session, type, dedup) WHERE dedup <> '';

-- The last event that was removed, of each session and audience.
CREATE TABLE log_trimmed (
	session  TEXT    NOT NULL,
	audience INTEGER NOT NULL,
	seq      INTEGER NOT NULL,
	PRIMARY KEY (session, audience)
) STRICT, WITHOUT ROWID;

CREATE TABLE consumers (
	name    TEXT    PRIMARY KEY,
	seq     INTEGER NOT NULL,
	used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Long work: one row, one result. request_json is the open wallet request.
-- progress is in thousandths, -1 where it is not known.
CREATE TABLE tasks (
	id               TEXT    PRIMARY KEY,
	session          TEXT    NOT NULL,
	kind             TEXT    NOT NULL,
	tool             TEXT    NOT NULL,
	subject          TEXT    NOT NULL,
	state            TEXT    NOT NULL CHECK (state IN ('working', 'input_required', 'completed', 'failed', 'cancelled')),
	stage            TEXT    NOT NULL,
	waiting_for      TEXT    NOT NULL,
	progress         INTEGER NOT NULL CHECK (progress BETWEEN -1 AND 1000),
	message          TEXT    NOT NULL,
	request_id       TEXT    NOT NULL,
	request_json     TEXT             CHECK (json_valid(request_json)),
	result_json      TEXT             CHECK (json_valid(result_json)),
	error            TEXT    NOT NULL,
	cancel_requested INTEGER NOT NULL CHECK (cancel_requested IN (0, 1)),
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	deadline_at      INTEGER NOT NULL,
	lease_until      INTEGER NOT NULL,
	expires_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_by_subject ON tasks (subject);
CREATE INDEX tasks_by_session ON tasks (session, created_at);
CREATE INDEX tasks_open ON tasks (session, created_at) WHERE state IN ('working', 'input_required');
