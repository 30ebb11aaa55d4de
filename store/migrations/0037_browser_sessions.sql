-- A browser session is a pass of the kind session. Passes of pages that were issued for it, and
-- codes that it used, name it. What a page led to before is opened with the session.
ALTER TABLE passes ADD COLUMN session TEXT NOT NULL DEFAULT '';
CREATE INDEX passes_of_session ON passes (session) WHERE session <> '';
ALTER TABLE links ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE links ADD COLUMN own INTEGER NOT NULL DEFAULT 0 CHECK (own IN (0, 1));
ALTER TABLE links DROP COLUMN leads;

-- An account whose wallet may begin a session by a signature: the user chose it in one.
ALTER TABLE known_accounts ADD COLUMN chosen INTEGER NOT NULL DEFAULT 0 CHECK (chosen IN (0, 1));
