-- How the steps of a bundle are signed: each by itself, or all of them in one
-- transaction. The person may change it as long as they have not approved.
ALTER TABLE bundles ADD COLUMN mode TEXT NOT NULL DEFAULT 'steps' CHECK (mode IN ('steps', 'atomic'));
