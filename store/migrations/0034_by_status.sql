-- The reviews of an account that have one status are counted, and listed by time, without
-- reading those of the other statuses.
CREATE INDEX reviews_by_status ON reviews (account, status, created_at, expires_at);
