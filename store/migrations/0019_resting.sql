-- Orders of known accounts that rested in a book when this program last looked. The held
-- columns are what the order's manager had of the pool's two coins then, free and locked.
CREATE TABLE resting_orders (
	account   BLOB    NOT NULL CHECK (length(account) = 32),
	manager   BLOB    NOT NULL CHECK (length(manager) = 32),
	pool      TEXT    NOT NULL,
	order_id  TEXT    NOT NULL,
	is_bid    INTEGER NOT NULL CHECK (is_bid IN (0, 1)),
	price     INTEGER NOT NULL,
	quantity  INTEGER NOT NULL,
	remaining INTEGER NOT NULL,
	expire_ms INTEGER NOT NULL,
	held_base INTEGER NOT NULL,
	held_quote INTEGER NOT NULL,
	seen_at   INTEGER NOT NULL,
	PRIMARY KEY (manager, pool, order_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX resting_by_account ON resting_orders (account);
