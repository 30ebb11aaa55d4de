-- Accounts that a wallet gave on the connect page, one row per address, with the
-- wallet that gave it last. proven_at 0: claimed, not proven.
CREATE TABLE known_accounts (
	account            BLOB    PRIMARY KEY CHECK (length(account) = 32),
	chain              TEXT    NOT NULL,
	wallet_name        TEXT    NOT NULL,
	wallet_id          TEXT    NOT NULL,
	first_connected_at INTEGER NOT NULL,
	last_connected_at  INTEGER NOT NULL,
	proven_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX known_accounts_by_time ON known_accounts (last_connected_at);
INSERT INTO known_accounts
	SELECT account, chain, wallet_name, wallet_id, updated_at, max(updated_at), 0
	FROM identities WHERE status = 'connected' AND account IS NOT NULL GROUP BY account;
UPDATE known_accounts SET first_connected_at = (SELECT min(i.updated_at) FROM identities AS i
	WHERE i.status = 'connected' AND i.account = known_accounts.account);
INSERT INTO known_accounts
	SELECT account, chain, wallet_name, wallet_id, connected_at, connected_at, 0 FROM active_account WHERE true
	ON CONFLICT (account) DO NOTHING;

ALTER TABLE active_account ADD COLUMN proven_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE identities ADD COLUMN replaced BLOB CHECK (length(replaced) = 32);
ALTER TABLE identities ADD COLUMN proven_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE identities ADD COLUMN challenge TEXT NOT NULL DEFAULT '';
ALTER TABLE identities ADD COLUMN challenge_expires_at INTEGER NOT NULL DEFAULT 0;
