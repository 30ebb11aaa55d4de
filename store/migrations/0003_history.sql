-- What is asked when looking back: the reviews of one account by time, and the
-- few things that still wait, without reading the rows of all the others.
CREATE INDEX reviews_by_account ON reviews (account, created_at, status, expires_at);
CREATE INDEX reviews_pending ON reviews (updated_at, expires_at, status)
	WHERE status NOT IN ('success', 'failure', 'expired');
CREATE INDEX reviews_computed ON reviews (updated_at, status)
	WHERE status IN ('ready_for_wallet_review', 'refresh_required', 'blocked', 'signed_pending_result');
CREATE INDEX identities_pending ON identities (updated_at, expires_at)
	WHERE status IN ('pending', 'opened', 'connecting');
CREATE INDEX journal_steps ON journal (kind, subject, from_status, to_status, what, at);
