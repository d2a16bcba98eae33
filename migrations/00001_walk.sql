-- +goose Up

-- Times are stored to the microsecond in UTC; NULL is "none". What is hashed,
-- compared or replayed is canonical JSON in BYTEA. Ids are made by the program.
-- woken_at is when a job last was, or will be, told to look at the row.

CREATE TABLE game (
    id         BIGINT PRIMARY KEY,
    no         BIGINT NOT NULL UNIQUE,
    name       TEXT NOT NULL UNIQUE,
    title      TEXT NOT NULL,
    system     TEXT NOT NULL,
    account    TEXT NOT NULL,
    file       TEXT NOT NULL,
    file_sha   TEXT NOT NULL,
    secret     BYTEA NOT NULL,
    paused_at  TIMESTAMPTZ,
    ended_at   TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE person (
    id         BIGINT PRIMARY KEY,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE address (
    addr      TEXT PRIMARY KEY,
    person    BIGINT NOT NULL UNIQUE REFERENCES person (id),
    reachable BOOLEAN NOT NULL
);

CREATE TABLE role (
    id            BIGINT PRIMARY KEY,
    game          BIGINT NOT NULL REFERENCES game (id),
    no            BIGINT NOT NULL,
    kind          TEXT NOT NULL,
    role_key      TEXT NOT NULL,
    person        BIGINT NOT NULL REFERENCES person (id),
    name          TEXT NOT NULL,
    zone          TEXT NOT NULL,
    epoch         BIGINT NOT NULL,
    confirmations BIGINT NOT NULL, -- how many one-time tokens were numbered
    UNIQUE (game, no)
);
CREATE INDEX role_person ON role (person);

CREATE TABLE combatant (
    game BIGINT NOT NULL REFERENCES game (id),
    id   TEXT NOT NULL,
    role BIGINT REFERENCES role (id), -- NULL: the GM's
    PRIMARY KEY (game, id)
);

CREATE TABLE turn (
    id              BIGINT PRIMARY KEY,
    game            BIGINT NOT NULL REFERENCES game (id),
    n               BIGINT NOT NULL,
    phase           BIGINT NOT NULL,
    state           TEXT NOT NULL,
    attempt         BIGINT NOT NULL,
    released        BIGINT NOT NULL,
    lates           BIGINT NOT NULL, -- greatest late number given
    opened_at       TIMESTAMPTZ NOT NULL,
    deadline_at     TIMESTAMPTZ NOT NULL,
    asked_at        TIMESTAMPTZ,
    asked_by        TEXT NOT NULL,
    closed_at       TIMESTAMPTZ,
    review_at       TIMESTAMPTZ,
    paused_at       TIMESTAMPTZ,
    reopened_at     TIMESTAMPTZ,
    input_seq       BIGINT NOT NULL,
    void            BIGINT NOT NULL,
    lock            BYTEA,
    digest          TEXT NOT NULL,
    world           BYTEA NOT NULL,
    asks            BYTEA,
    remind_at       TIMESTAMPTZ,
    remind_woken_at TIMESTAMPTZ,
    nudge_at        TIMESTAMPTZ,
    nudge_woken_at  TIMESTAMPTZ,
    nudge_step      BIGINT NOT NULL,
    woken_at        TIMESTAMPTZ,
    tries           BIGINT NOT NULL,
    why             TEXT NOT NULL,
    UNIQUE (game, n, phase)
);
CREATE INDEX turn_live ON turn (state) WHERE state <> 'released';

CREATE TABLE letter (
    id           BIGINT PRIMARY KEY,
    account      TEXT NOT NULL,
    sha256       TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    received_at  TIMESTAMPTZ NOT NULL,
    seen_at      TIMESTAMPTZ NOT NULL,
    raw          BYTEA NOT NULL,
    uid          BIGINT NOT NULL,
    uid_validity BIGINT NOT NULL,
    disposition  TEXT, -- NULL: not yet
    why          TEXT NOT NULL,
    confirmed    BOOLEAN NOT NULL,
    tries        BIGINT NOT NULL, -- begun and not known to have ended
    faults       BIGINT NOT NULL, -- ended with an error
    game         BIGINT REFERENCES game (id),
    turn         BIGINT REFERENCES turn (id),
    role         BIGINT REFERENCES role (id),
    from_addr    TEXT NOT NULL,
    text_sha     TEXT NOT NULL,
    woken_at     TIMESTAMPTZ,
    UNIQUE (account, sha256)
);
CREATE INDEX letter_waiting ON letter (account, received_at) WHERE disposition IS NULL;
CREATE INDEX letter_message ON letter (account, message_id);
CREATE INDEX letter_turn ON letter (turn);

CREATE TABLE lease (
    account TEXT PRIMARY KEY,
    holder  TEXT NOT NULL,
    until   TIMESTAMPTZ NOT NULL
);

CREATE TABLE mailbox (
    account       TEXT NOT NULL,
    folder        TEXT NOT NULL,
    uid_validity  BIGINT NOT NULL,
    last_uid      BIGINT NOT NULL,
    searched_from TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account, folder)
);

CREATE TABLE unfetched (
    account      TEXT NOT NULL,
    folder       TEXT NOT NULL,
    uid_validity BIGINT NOT NULL,
    uid          BIGINT NOT NULL,
    tries        BIGINT NOT NULL, -- those that count
    tried_at     TIMESTAMPTZ NOT NULL, -- the last of them
    given_up_at  TIMESTAMPTZ, -- NULL: the search waits for it
    PRIMARY KEY (account, folder, uid_validity, uid)
);

CREATE TABLE ready (
    turn        BIGINT NOT NULL REFERENCES turn (id),
    role        BIGINT NOT NULL REFERENCES role (id),
    is_on       BOOLEAN NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    letter      BIGINT NOT NULL REFERENCES letter (id),
    PRIMARY KEY (turn, role)
);

CREATE TABLE revision (
    id          BIGINT PRIMARY KEY,
    turn        BIGINT NOT NULL REFERENCES turn (id),
    combatant   TEXT NOT NULL,
    role        BIGINT REFERENCES role (id),
    letter      BIGINT NOT NULL REFERENCES letter (id),
    message_id  TEXT NOT NULL,
    text_sha    TEXT NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    text        TEXT NOT NULL,
    plan        BYTEA,
    cleared     BOOLEAN NOT NULL,
    late_n      BIGINT NOT NULL,
    UNIQUE (turn, combatant, letter)
);

CREATE TABLE turn_orders (
    turn      BIGINT NOT NULL REFERENCES turn (id),
    combatant TEXT NOT NULL,
    revision  BIGINT NOT NULL REFERENCES revision (id),
    PRIMARY KEY (turn, combatant)
);

-- What a turn's lock was made of: written once, with the lock.
CREATE TABLE turn_counted (
    game      BIGINT NOT NULL REFERENCES game (id),
    n         BIGINT NOT NULL,
    combatant TEXT NOT NULL,
    revision  BIGINT NOT NULL REFERENCES revision (id),
    PRIMARY KEY (game, n, combatant)
);

CREATE TABLE hold (
    id         BIGINT PRIMARY KEY,
    game       BIGINT REFERENCES game (id),
    turn       BIGINT REFERENCES turn (id),
    role       BIGINT NOT NULL REFERENCES role (id),
    letter     BIGINT NOT NULL UNIQUE REFERENCES letter (id),
    kind       TEXT NOT NULL, -- asked, suspect
    why        TEXT NOT NULL,
    from_addr  TEXT NOT NULL,
    subject    TEXT NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    state      TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX hold_role ON hold (role) WHERE state = 'held';

CREATE TABLE confirmation (
    role       BIGINT NOT NULL REFERENCES role (id),
    n          BIGINT NOT NULL,
    kind       TEXT NOT NULL, -- of the holds that it covers
    attempt    BIGINT NOT NULL,
    digest     TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires    TIMESTAMPTZ NOT NULL,
    used_at    TIMESTAMPTZ,
    PRIMARY KEY (role, n)
);

CREATE TABLE ruling (
    id         BIGINT PRIMARY KEY,
    turn       BIGINT NOT NULL REFERENCES turn (id),
    n          BIGINT NOT NULL,
    letter     BIGINT REFERENCES letter (id),
    body       BYTEA NOT NULL,
    dropped_by BIGINT REFERENCES letter (id), -- NULL: in force
    UNIQUE (turn, n)
);

CREATE TABLE attempt (
    turn         BIGINT NOT NULL REFERENCES turn (id),
    n            BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    ruleset      TEXT NOT NULL,
    version      BIGINT NOT NULL,
    data_sha     TEXT NOT NULL,
    build        TEXT NOT NULL,
    world_before BYTEA,
    orders       BYTEA,
    rulings      BYTEA,
    events       BYTEA,
    world_after  BYTEA,
    outcome      BYTEA,
    digest       TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (turn, n)
);

CREATE TABLE outbox (
    id          BIGINT PRIMARY KEY,
    role        BIGINT REFERENCES role (id),
    address     TEXT NOT NULL,
    sender      TEXT NOT NULL,
    game        BIGINT REFERENCES game (id),
    turn        BIGINT REFERENCES turn (id),
    kind        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    text        TEXT NOT NULL,
    bytes       BYTEA NOT NULL,
    message_id  TEXT NOT NULL,
    not_before  TIMESTAMPTZ,
    gather      TEXT NOT NULL,
    carry       TEXT NOT NULL, -- what a newer mail of its gathering says for it
    quiet       BOOLEAN NOT NULL,
    state       TEXT NOT NULL,
    claim       TEXT NOT NULL,
    claim_until TIMESTAMPTZ,
    tries       BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    sent_at     TIMESTAMPTZ,
    why         TEXT NOT NULL,
    woken_at    TIMESTAMPTZ
);
CREATE INDEX outbox_unsent ON outbox (id) WHERE state IN ('queued', 'claimed');
CREATE INDEX outbox_role ON outbox (role, created_at);
CREATE INDEX outbox_message ON outbox (message_id);

-- +goose Down

DROP TABLE outbox;
DROP TABLE attempt;
DROP TABLE ruling;
DROP TABLE confirmation;
DROP TABLE hold;
DROP TABLE turn_counted;
DROP TABLE turn_orders;
DROP TABLE revision;
DROP TABLE ready;
DROP TABLE unfetched;
DROP TABLE mailbox;
DROP TABLE lease;
DROP TABLE letter;
DROP TABLE turn;
DROP TABLE combatant;
DROP TABLE role;
DROP TABLE address;
DROP TABLE person;
DROP TABLE game;
