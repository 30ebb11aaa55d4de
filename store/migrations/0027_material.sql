-- An action whose review is not over yet: which review, and what its result will name.
-- Of a transaction that somebody else built, nothing but that is kept.
ALTER TABLE actions ADD COLUMN review_json TEXT CHECK (json_valid(review_json));
CREATE INDEX actions_reviewed ON actions (caller) WHERE review_json IS NOT NULL;
