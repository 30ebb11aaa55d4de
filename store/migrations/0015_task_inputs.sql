-- What a task asked its client, and the answers, by key.
ALTER TABLE tasks ADD COLUMN inputs_json TEXT CHECK (json_valid(inputs_json));

-- The changes of stored things, which a long log has few of.
CREATE INDEX log_inside ON log (seq) WHERE audience = 1;
