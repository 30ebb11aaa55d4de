-- When a wallet signed that a name of the book is of its address; 0: none did.
ALTER TABLE book ADD COLUMN signed_at INTEGER NOT NULL DEFAULT 0;
