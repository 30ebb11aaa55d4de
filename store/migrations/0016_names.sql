-- The book gets a source for what a person writes, the title in small letters for
-- searching, and the indexes by which one address is named without reading all.
CREATE TABLE book_next (
	id         TEXT    PRIMARY KEY,
	title      TEXT    NOT NULL,
	folded     TEXT    NOT NULL,
	address    TEXT    NOT NULL,
	chain      TEXT    NOT NULL,
	source     TEXT    NOT NULL CHECK (source IN ('agent', 'backend', 'page', 'import')),
	created_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO book_next (id, title, folded, address, chain, source, created_at, deleted_at)
	SELECT id, title, lower(title), address, chain, source, created_at, deleted_at FROM book;
DROP TABLE book;
ALTER TABLE book_next RENAME TO book;
CREATE INDEX book_by_title ON book (title, id);
CREATE INDEX book_by_address ON book (chain, address);
CREATE INDEX book_by_ends ON book (chain, substr(address, 1, 6), substr(address, -4));

-- A row says that AI clients may not read the book.
CREATE TABLE book_closed (
	id INTEGER PRIMARY KEY CHECK (id = 1)
) STRICT;

-- What a person calls accounts of their own. Only the page of the book writes it.
CREATE TABLE own_names (
	address TEXT PRIMARY KEY,
	title   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
