-- Whom an account paid, and which names were paid, by reviews that ended in success on
-- this machine, and when last: read for every payment, so it is not read from all the
-- reviews. It is written with the end of the review.
CREATE TABLE paid (
	account   BLOB    NOT NULL CHECK (length(account) = 32),
	recipient TEXT    NOT NULL,
	at        INTEGER NOT NULL,
	PRIMARY KEY (account, recipient)
) STRICT, WITHOUT ROWID;
CREATE TABLE paid_names (
	name      TEXT    PRIMARY KEY,
	recipient TEXT    NOT NULL,
	nft       TEXT    NOT NULL,
	at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO paid SELECT v.account,
		CAST(coalesce(step.value ->> '$.sends', CASE WHEN json_valid(f.facts_json) THEN f.facts_json ->> '$.recipient' END) AS TEXT) AS paid, max(f.at)
	FROM reviews AS v JOIN releases AS f ON f.review_id = v.id
	JOIN json_each(CASE WHEN NOT json_valid(f.facts_json) THEN '[]' WHEN json_type(f.facts_json, '$.steps') = 'array' THEN f.facts_json -> '$.steps' ELSE '[{}]' END) AS step
	WHERE v.status = 'success' AND f.signed_at > 0 AND f.dead = 0 AND f.nonce_hash <> zeroblob(32)
		AND paid IS NOT NULL
	GROUP BY v.account, paid;
INSERT INTO paid_names SELECT CAST(step.value ->> '$.recipientName' AS TEXT) AS name,
		CAST(coalesce(step.value ->> '$.recipient', '') AS TEXT), CAST(coalesce(step.value ->> '$.recipientNft', '') AS TEXT), max(f.at)
	FROM reviews AS v JOIN releases AS f ON f.review_id = v.id
	JOIN json_each(CASE WHEN NOT json_valid(v.intent_json) THEN '[]' WHEN json_type(v.intent_json, '$.steps') = 'array' THEN v.intent_json -> '$.steps'
		ELSE json_array(json(v.intent_json)) END) AS step
	WHERE v.status = 'success' AND f.signed_at > 0 AND f.dead = 0 AND f.nonce_hash <> zeroblob(32)
		AND name IS NOT NULL
	GROUP BY name;
-- Open reviews that were handed out, without the many that ended.
CREATE INDEX reviews_unsettled ON reviews (created_at)
	WHERE status NOT IN ('success', 'failure', 'expired');
