-- Who the members of a multisig account are; NULL: it is none.
ALTER TABLE known_accounts ADD COLUMN multisig_json TEXT CHECK (json_valid(multisig_json));

-- The members whose signatures are collected for a transaction, and the weight of those that
-- are there. The signatures themselves are material, and go with it.
ALTER TABLE releases ADD COLUMN multisig_json TEXT CHECK (json_valid(multisig_json));
ALTER TABLE releases ADD COLUMN collected INTEGER NOT NULL DEFAULT 0;
ALTER TABLE materials ADD COLUMN parts_json TEXT CHECK (json_valid(parts_json));
