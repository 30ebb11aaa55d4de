-- over_at is when a node first said that a release's last epoch is over, believed_at
-- since when the release is believed dead by that node's word alone, and look_until the
-- epoch up to which effects of a release that is dead, or believed so, are still looked
-- for. 0 where there is none.
ALTER TABLE releases ADD COLUMN over_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE releases ADD COLUMN believed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE releases ADD COLUMN look_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX releases_looked_for ON releases (review_id) WHERE look_until > 0;

-- Epochs were remembered on one node's word. They are now remembered when a second node
-- or signatures confirm them.
UPDATE chain_seen SET epoch = 0, since = 0;
