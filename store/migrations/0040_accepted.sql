-- What the user ticked or typed on the page before the transaction went to the wallet, as a JSON
-- list; NULL for nothing.
ALTER TABLE releases ADD COLUMN accepted_json TEXT CHECK (json_valid(accepted_json));
