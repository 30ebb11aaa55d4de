-- Names of SuiNS that the person let the address book forget: payments to them until then
-- say nothing any more about where the name should lead.
CREATE TABLE names_forgotten (
	name TEXT    PRIMARY KEY,
	at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
