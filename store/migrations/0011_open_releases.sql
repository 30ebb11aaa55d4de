-- The owned objects that a released transaction uses up; null in rows of before,
-- whose bytes say it as long as they are kept.
ALTER TABLE releases ADD COLUMN inputs_json TEXT CHECK (json_valid(inputs_json));
-- Whether any review ever handed out a transaction: asked in every release.
CREATE INDEX releases_by_digest ON releases (digest);
-- The open releases of an account are those of its reviews that are not final.
CREATE INDEX reviews_open ON reviews (account)
	WHERE status NOT IN ('success', 'failure', 'expired');
-- The present build is for a person who wants the same wish done besides an open
-- release of it.
ALTER TABLE reviews ADD COLUMN again INTEGER NOT NULL DEFAULT 0 CHECK (again IN (0, 1));
