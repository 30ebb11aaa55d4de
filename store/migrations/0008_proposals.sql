-- What somebody outside proposed, of a review that can be read and never signed.
-- It is stored once no secret was found in it, and never changed.
ALTER TABLE reviews ADD COLUMN proposal_json TEXT CHECK (json_valid(proposal_json));
