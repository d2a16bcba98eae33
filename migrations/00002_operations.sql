-- +goose Up

-- A mailbox that its server numbered anew: until it is read to its end, unknown
-- letters received before this instant are recorded and not acted on.
ALTER TABLE mailbox ADD COLUMN ignore_before TIMESTAMPTZ;
-- When somebody asked that every folder be read again; NULL: that is done.
ALTER TABLE mailbox ADD COLUMN reread_asked TIMESTAMPTZ;

-- A letter that was found where only letters lie that were read before: what
-- does not change anything is not answered.
ALTER TABLE letter ADD COLUMN reread BOOLEAN NOT NULL DEFAULT FALSE;

-- Until when the one who began to work on the row has it for himself. One that
-- dies keeps it so long: deaths that are counted against it lie that far apart.
ALTER TABLE letter ADD COLUMN taken_until TIMESTAMPTZ;
ALTER TABLE turn ADD COLUMN taken_until TIMESTAMPTZ;

-- The letter ended a connection. Its tries count only while no other one does.
ALTER TABLE unfetched ADD COLUMN lost BOOLEAN NOT NULL DEFAULT FALSE;

-- A person's letters are read in their order.
CREATE INDEX letter_from_waiting ON letter (account, from_addr) WHERE disposition IS NULL;
-- For those who watch.
CREATE INDEX letter_aside ON letter (account) WHERE disposition IN ('quarantined', 'poison');

-- What people were last told of something, so that they are told once.
CREATE TABLE told (
    what TEXT PRIMARY KEY,
    at   TIMESTAMPTZ NOT NULL
);

-- +goose Down

DROP TABLE told;
DROP INDEX letter_aside;
DROP INDEX letter_from_waiting;
ALTER TABLE unfetched DROP COLUMN lost;
ALTER TABLE turn DROP COLUMN taken_until;
ALTER TABLE letter DROP COLUMN taken_until;
ALTER TABLE letter DROP COLUMN reread;
ALTER TABLE mailbox DROP COLUMN reread_asked;
ALTER TABLE mailbox DROP COLUMN ignore_before;
