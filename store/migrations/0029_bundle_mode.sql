-- How the steps of a bundle are signed: each by itself, or all of them in one
-- transaction. The person may change it as long as they have not approved. instead is
-- the review of one transaction that ended because the person wants its steps signed
-- one by one.
ALTER TABLE bundles ADD COLUMN mode TEXT NOT NULL DEFAULT 'steps' CHECK (mode IN ('steps', 'atomic'));
ALTER TABLE bundles ADD COLUMN instead TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX bundles_instead ON bundles (instead) WHERE instead <> '';
