-- When a conversation ended, 0 while it goes on or where nobody knows. What its client
-- was not told before is told to that client's next one.
ALTER TABLE conversations ADD COLUMN ended_at INTEGER NOT NULL DEFAULT 0;
