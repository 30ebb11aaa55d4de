-- Tokens for peers of the WebSocket tool protocol: the keys of the projects that one is
-- bound to, with spaces between them, and the one web origin that may use it, empty for
-- programs that are no web page.
ALTER TABLE access_tokens ADD COLUMN projects TEXT NOT NULL DEFAULT '';
ALTER TABLE access_tokens ADD COLUMN origin TEXT NOT NULL DEFAULT '';
