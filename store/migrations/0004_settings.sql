-- What the person set on this machine, each setting under one key as a document
-- of package settings. A missing row is the default.
CREATE TABLE settings (
	key        TEXT    PRIMARY KEY,
	value_json TEXT    NOT NULL CHECK (json_valid(value_json)),
	updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
