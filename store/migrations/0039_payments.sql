-- How often a recipient was paid, and by which review last. Payments of reviews that are no
-- longer stored count as one.
CREATE TABLE paid_next (
	account   BLOB    NOT NULL CHECK (length(account) = 32),
	recipient TEXT    NOT NULL,
	at        INTEGER NOT NULL,
	times     INTEGER NOT NULL CHECK (times > 0),
	review    TEXT    NOT NULL,
	PRIMARY KEY (account, recipient)
) STRICT, WITHOUT ROWID;
INSERT INTO paid_next SELECT v.account,
		CAST(coalesce(step.value ->> '$.sends', CASE WHEN json_valid(f.facts_json) THEN f.facts_json ->> '$.recipient' END) AS TEXT) AS paid, max(f.at),
		count(DISTINCT v.id), v.id
	FROM reviews AS v JOIN releases AS f ON f.review_id = v.id
	JOIN json_each(CASE WHEN NOT json_valid(f.facts_json) THEN '[]' WHEN json_type(f.facts_json, '$.steps') = 'array' THEN f.facts_json -> '$.steps' ELSE '[{}]' END) AS step
	WHERE v.status = 'success' AND f.signed_at > 0 AND f.dead = 0 AND f.nonce_hash <> zeroblob(32)
		AND paid IS NOT NULL
	GROUP BY v.account, paid;
INSERT OR IGNORE INTO paid_next SELECT account, recipient, at, 1, '' FROM paid;
DROP TABLE paid;
ALTER TABLE paid_next RENAME TO paid;
CREATE INDEX paid_by_recipient ON paid (recipient);
-- The client whose conversation wrote an entry, '' for a person and where it is not known.
ALTER TABLE book ADD COLUMN named_by TEXT NOT NULL DEFAULT '';
