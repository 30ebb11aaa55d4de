-- What the person ticked "Yes, again" for when they approved a bundle, as again:<id> of
-- the other requests. It was a mark of each step, which did not say of which request.
ALTER TABLE bundles ADD COLUMN accepted_json TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(accepted_json));
ALTER TABLE bundle_steps DROP COLUMN repeat;
