-- What a task asked its client, and the answers, by key.
ALTER TABLE tasks ADD COLUMN inputs_json TEXT CHECK (json_valid(inputs_json));
