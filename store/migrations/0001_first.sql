-- Times are integers: nanoseconds since 1970, 0 for no time. Addresses, digests
-- and hashes are blobs of 32 bytes. Texts ending in _json are documents of the
-- package that owns the table's rows.

CREATE TABLE journal (
	seq         INTEGER PRIMARY KEY AUTOINCREMENT,
	kind        TEXT    NOT NULL,
	subject     TEXT    NOT NULL,
	from_status TEXT    NOT NULL,
	to_status   TEXT    NOT NULL,
	revision    INTEGER NOT NULL,
	what        TEXT    NOT NULL,
	at          INTEGER NOT NULL
) STRICT;
CREATE INDEX journal_by_subject ON journal (kind, subject, seq);

CREATE TABLE reviews (
	id               TEXT    PRIMARY KEY,
	status           TEXT    NOT NULL,
	reason           TEXT    NOT NULL,
	revision         INTEGER NOT NULL CHECK (revision >= 0),
	network          TEXT    NOT NULL,
	chain_id         TEXT    NOT NULL,
	account          BLOB    NOT NULL CHECK (length(account) = 32),
	wallet_name      TEXT    NOT NULL,
	wallet_id        TEXT    NOT NULL,
	protocol         TEXT    NOT NULL,
	action           TEXT    NOT NULL,
	commitment       TEXT    NOT NULL,
	built_at         INTEGER NOT NULL,
	build_expires_at INTEGER NOT NULL,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	expires_at       INTEGER NOT NULL,
	intent_json      TEXT    NOT NULL CHECK (json_valid(intent_json)),
	state_json       TEXT    NOT NULL CHECK (json_valid(state_json)),
	facts_json       TEXT             CHECK (json_valid(facts_json)),
	holdings_json    TEXT             CHECK (json_valid(holdings_json)),
	execution_json   TEXT             CHECK (json_valid(execution_json))
) STRICT, WITHOUT ROWID;
CREATE INDEX reviews_by_update ON reviews (updated_at);

-- One row per transaction that was handed out, for ever: the primary key is
-- what makes a second release impossible.
CREATE TABLE releases (
	review_id     TEXT    NOT NULL REFERENCES reviews (id),
	digest        BLOB    NOT NULL CHECK (length(digest) = 32),
	position      INTEGER NOT NULL,
	commitment    TEXT    NOT NULL,
	nonce_hash    BLOB    NOT NULL CHECK (length(nonce_hash) = 32),
	revision      INTEGER NOT NULL,
	at            INTEGER NOT NULL,
	outcome       TEXT    NOT NULL,
	gas_coin_json TEXT    NOT NULL CHECK (json_valid(gas_coin_json)),
	last_epoch    TEXT    NOT NULL,
	facts_json    TEXT    NOT NULL CHECK (json_valid(facts_json)),
	signed_at     INTEGER NOT NULL,
	submitted_at  INTEGER NOT NULL,
	dead          INTEGER NOT NULL CHECK (dead IN (0, 1)),
	PRIMARY KEY (review_id, digest)
) STRICT, WITHOUT ROWID;

-- The only place that holds bytes that can be signed, or a signature.
CREATE TABLE materials (
	review_id  TEXT    NOT NULL REFERENCES reviews (id),
	digest     BLOB    NOT NULL CHECK (length(digest) = 32),
	bytes      BLOB    NOT NULL,
	signature  BLOB,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (review_id, digest)
) STRICT;

CREATE TABLE identities (
	id             TEXT    PRIMARY KEY,
	status         TEXT    NOT NULL,
	account        BLOB             CHECK (length(account) = 32),
	chain          TEXT    NOT NULL,
	wallet_name    TEXT    NOT NULL,
	wallet_id      TEXT    NOT NULL,
	failure_reason TEXT    NOT NULL,
	failure_detail TEXT    NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	expires_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE active_account (
	id           INTEGER PRIMARY KEY CHECK (id = 1),
	account      BLOB    NOT NULL CHECK (length(account) = 32),
	chain        TEXT    NOT NULL,
	wallet_name  TEXT    NOT NULL,
	wallet_id    TEXT    NOT NULL,
	proven       INTEGER NOT NULL CHECK (proven IN (0, 1)),
	connected_at INTEGER NOT NULL
) STRICT;

-- Codes and tokens are secrets; only their SHA-256 is here.
CREATE TABLE links (
	code_hash  BLOB    PRIMARY KEY CHECK (length(code_hash) = 32),
	kind       TEXT    NOT NULL,
	subject    TEXT    NOT NULL,
	issued_at  INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_subject ON links (kind, subject);
CREATE INDEX links_unopened ON links (issued_at) WHERE used_at = 0;

CREATE TABLE passes (
	token_hash   BLOB    PRIMARY KEY CHECK (length(token_hash) = 32),
	id           TEXT    NOT NULL UNIQUE,
	kind         TEXT    NOT NULL,
	subject      TEXT    NOT NULL,
	access       TEXT    NOT NULL CHECK (access IN ('active', 'read_only')),
	issued_at    INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX passes_by_subject ON passes (kind, subject);

CREATE TABLE opened_twice (
	kind    TEXT    NOT NULL,
	subject TEXT    NOT NULL,
	at      INTEGER NOT NULL,
	PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;
