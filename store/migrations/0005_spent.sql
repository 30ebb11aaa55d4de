-- What was handed out or signed of late, and may still have taken something:
-- the sums of a day read it in the transaction of every release.
CREATE INDEX releases_by_last ON releases (max(at, signed_at)) WHERE dead = 0;
