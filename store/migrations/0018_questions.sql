-- What a task asks the person, and the answers to choose from.
ALTER TABLE tasks ADD COLUMN question_json TEXT CHECK (json_valid(question_json));
