INSERT INTO game (id, no, name, title, system, account, file, file_sha, secret, paused_at, ended_at, created_at)
VALUES (1, 1, 'dusk', 'Dusk', 'star-frontiers', 'main', 'x', 'y', 'secret', NULL, NULL, '2026-03-01T12:00:00.000000Z');
INSERT INTO person (id, created_at) VALUES (10, '2026-03-01T12:00:00.000000Z'), (11, '2026-03-01T12:00:00.000000Z');
INSERT INTO address (addr, person, reachable) VALUES ('gert@example.org', 10, TRUE), ('anna@example.org', 11, TRUE);
INSERT INTO role (id, game, no, kind, role_key, person, name, zone, epoch, confirmations)
VALUES (20, 1, 1, 'gm', '', 10, 'Gert', 'UTC', 0, 0), (21, 1, 2, 'player', 'anna', 11, 'Anna', 'Europe/Berlin', 0, 0);
INSERT INTO combatant (game, id, role) VALUES (1, 'mira', 21), (1, 'zog', NULL);
INSERT INTO turn (id, game, n, phase, state, attempt, released, lates, opened_at, deadline_at, asked_at, asked_by, closed_at, review_at,
  paused_at, reopened_at, input_seq, void, lock, digest, world, asks, remind_at, remind_woken_at, nudge_at, nudge_woken_at, nudge_step, woken_at, tries, why)
VALUES (30, 1, 1, 0, 'open', 0, 0, 0, '2026-03-01T12:00:00.000000Z', '2026-03-02T12:00:00.000000Z', NULL, '', NULL, NULL,
  NULL, NULL, 0, 0, NULL, '', '{"n":1}', NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, '');
INSERT INTO letter (id, account, sha256, message_id, received_at, seen_at, raw, uid, uid_validity, disposition, why, confirmed, tries, faults,
  game, turn, role, from_addr, text_sha, woken_at)
VALUES (50, 'main', 'adbbe0fa0a1192250a00582811bd8e1a664cd6263ebf92c827f008714514fd68', '<1@example.org>', '2026-03-01T12:30:00.000000Z',
  '2026-03-01T12:30:01.000000Z', 'Message 1', 4000000000, 1, NULL, '', FALSE, 0, 0, NULL, NULL, NULL, 'anna@example.org', '', NULL);
INSERT INTO mailbox (account, folder, uid_validity, last_uid, searched_from) VALUES ('main', 'INBOX', 1, 4000000000, '2026-03-01T12:00:00.000000Z');
INSERT INTO unfetched (account, folder, uid_validity, uid, tries, tried_at, given_up_at)
VALUES ('main', 'INBOX', 1, 4000000001, 2, '2026-03-01T12:40:00.000000Z', NULL);
INSERT INTO outbox (id, role, address, sender, game, turn, kind, subject, text, bytes, message_id, not_before, gather, carry, quiet, state, claim,
  claim_until, tries, created_at, sent_at, why, woken_at)
VALUES (60, 21, 'anna@example.org', 'pbem@example.org', 1, 30, 'opening', 'x', 'x', 'x', '<60@example.org>', NULL, '', '', FALSE, 'queued', '',
  NULL, 0, '2026-03-01T12:00:00.000000Z', NULL, '', NULL);
