-- Whether nothing is handed to a wallet at present. That the row is there says so,
-- whatever it holds.
CREATE TABLE freeze (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	at INTEGER NOT NULL
) STRICT;

-- What lets a program of the person's use the doors of the bus, by the hash of its
-- secret. client is the MCP client whose conversations it may follow.
CREATE TABLE access_tokens (
	id      TEXT    PRIMARY KEY,
	hash    BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
	name    TEXT    NOT NULL,
	scope   TEXT    NOT NULL,
	client  TEXT    NOT NULL,
	made_at INTEGER NOT NULL,
	used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which client leads a conversation.
CREATE TABLE conversations (
	session  TEXT    PRIMARY KEY,
	client   TEXT    NOT NULL,
	begun_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_client ON conversations (client, begun_at);
