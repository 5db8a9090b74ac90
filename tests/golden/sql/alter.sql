-- Tables change under their rows.
CREATE TABLE a (id INTEGER NOT NULL PRIMARY KEY, n INTEGER, s VARCHAR(10), t TIMESTAMP);
--> table created
INSERT INTO a VALUES (1, 10, 'one', '2020-01-01'), (2, NULL, 'two', NULL), (3, 30, NULL, '2020-01-03');
--> 3 modified, all partitions
ALTER TABLE a ADD COLUMN d DECIMAL DEFAULT 1.5 NOT NULL BEFORE n;
--> table altered
ALTER TABLE a ADD extra VARCHAR(60) DEFAULT 'longer than what lies in a row';
--> table altered
SELECT * FROM a ORDER BY id;
--> id | d | n | s | t | extra
--> 1 | 1.500000000000 | 10 | 'one' | 2020-01-01 00:00:00.000000 | 'longer than what lies in a row'
--> 2 | 1.500000000000 | NULL | 'two' | NULL | 'longer than what lies in a row'
--> 3 | 1.500000000000 | 30 | NULL | 2020-01-03 00:00:00.000000 | 'longer than what lies in a row'
--> (3 rows, partition p0)
ALTER TABLE a ADD COLUMN must INTEGER NOT NULL;
--> error: column must of a must not be NULL [23000]
ALTER TABLE a ADD COLUMN n INTEGER;
--> LINE 1: ALTER TABLE a ADD COLUMN n INTEGER
-->                                  ^
--> error: column n of a is there already [42000]
ALTER TABLE a ADD COLUMN IF NOT EXISTS n INTEGER;
--> nothing altered
--> note: column n of a is there already
ALTER TABLE a ADD COLUMN u INTEGER UNIQUE;
--> table altered
ALTER TABLE a ADD COLUMN c INTEGER DEFAULT 5 CHECK (c > 3);
--> table altered
ALTER TABLE a ADD COLUMN c2 INTEGER DEFAULT 1 CHECK (c2 > 3);
--> error: a row of a violates ck_a_2: CHECK (c2 > 3) must not be false [23000]
UPDATE a SET c = 1 WHERE id = 1;
--> error: a row of a violates ck_a_1: CHECK (c > 3) must not be false [23000]
ALTER TABLE a DROP COLUMN u;
--> table altered
--> note: constraint uq_a_u is dropped too
ALTER TABLE a DROP COLUMN c;
--> table altered
--> note: constraint ck_a_1 is dropped too
ALTER TABLE a DROP COLUMN nothing;
--> LINE 1: ALTER TABLE a DROP COLUMN nothing
-->                                   ^^^^^^^
--> error: no column nothing in a [42000]
ALTER TABLE a DROP COLUMN IF EXISTS nothing;
--> nothing altered
--> note: there is no column nothing in a
SELECT * FROM a ORDER BY id;
--> id | d | n | s | t | extra
--> 1 | 1.500000000000 | 10 | 'one' | 2020-01-01 00:00:00.000000 | 'longer than what lies in a row'
--> 2 | 1.500000000000 | NULL | 'two' | NULL | 'longer than what lies in a row'
--> 3 | 1.500000000000 | 30 | NULL | 2020-01-03 00:00:00.000000 | 'longer than what lies in a row'
--> (3 rows, partition p0)
-- Types.
ALTER TABLE a ALTER COLUMN n SMALLINT;
--> table altered
ALTER TABLE a ALTER COLUMN n TYPE TINYINT;
--> table altered
UPDATE a SET n = 120 WHERE id = 1;
--> 1 modified, all partitions
ALTER TABLE a ALTER COLUMN n VARCHAR(2);
--> error: value of length 3 is too long for VARCHAR(2) [22026]
ALTER TABLE a ALTER COLUMN n VARCHAR(5) NOT NULL;
--> error: column n of a must not be NULL [23000]
ALTER TABLE a ALTER COLUMN n VARCHAR(5);
--> table altered
ALTER TABLE a ALTER COLUMN t BIGINT;
--> table altered
ALTER TABLE a ALTER COLUMN s VARBINARY(5);
--> error: cannot read 'one' as VARBINARY(5) [22018]
SELECT id, n, t FROM a ORDER BY id;
--> id | n | t
--> 1 | '120' | 1577836800000000
--> 2 | NULL | NULL
--> 3 | '30' | 1578009600000000
--> (3 rows, partition p0)
ALTER TABLE a ALTER COLUMN n INTEGER;
--> table altered
SELECT n + 1 AS more FROM a ORDER BY n;
--> more
--> NULL
--> 31
--> 121
--> (3 rows, partition p0)
ALTER TABLE a ALTER COLUMN s SET NOT NULL;
--> error: column s of a must not be NULL [23000]
UPDATE a SET s = 'three' WHERE id = 3;
--> 1 modified, all partitions
ALTER TABLE a ALTER COLUMN s SET NOT NULL;
--> table altered
INSERT INTO a (id) VALUES (4);
--> LINE 1: INSERT INTO a (id) VALUES (4)
-->                     ^
--> error: column s of a is NOT NULL and has no default: give it a value [23000]
ALTER TABLE a ALTER COLUMN s SET DEFAULT 'none';
--> table altered
INSERT INTO a (id) VALUES (4);
--> 1 modified, all partitions
ALTER TABLE a ALTER COLUMN s DROP NOT NULL;
--> table altered
INSERT INTO a (id, s) VALUES (5, NULL);
--> 1 modified, all partitions
ALTER TABLE a ALTER COLUMN id SET NULL;
--> LINE 1: ALTER TABLE a ALTER COLUMN id SET NULL
-->                                    ^^
--> error: id is in the primary key of a: it can't be NULL [42000]
SELECT id, s FROM a ORDER BY id;
--> id | s
--> 1 | 'one'
--> 2 | 'two'
--> 3 | 'three'
--> 4 | 'none'
--> 5 | NULL
--> (5 rows, partition p0)
-- Constraints.
ALTER TABLE a ADD CONSTRAINT big CHECK (id > 1);
--> error: a row of a violates big: CHECK (id > 1) must not be false [23000]
ALTER TABLE a ADD CONSTRAINT small CHECK (id < 100);
--> table altered
INSERT INTO a (id) VALUES (100);
--> error: a row of a violates small: CHECK (id < 100) must not be false [23000]
ALTER TABLE a DROP CONSTRAINT smal;
--> LINE 1: ALTER TABLE a DROP CONSTRAINT smal
-->                                       ^^^^
--> error: no constraint smal on a; did you mean small? [42000]
ALTER TABLE a DROP CONSTRAINT small;
--> table altered
INSERT INTO a (id) VALUES (100);
--> 1 modified, all partitions
ALTER TABLE a ADD CONSTRAINT by_s UNIQUE (s);
--> error: duplicate key in a: by_s already has s = none in several rows [23000]
ALTER TABLE a ADD PRIMARY KEY (s);
--> LINE 1: ALTER TABLE a ADD PRIMARY KEY (s)
-->                                        ^
--> error: a has a primary key already: drop it first [42000]
ALTER TABLE a DROP PRIMARY KEY;
--> table altered
INSERT INTO a (id, s) VALUES (100, 'again');
--> 1 modified, all partitions
ALTER TABLE a ADD PRIMARY KEY (id);
--> error: duplicate key in a: pk_a already has id = 100 in several rows [23000]
DELETE FROM a WHERE s = 'again';
--> 1 modified, all partitions
ALTER TABLE a ADD PRIMARY KEY (id);
--> table altered
-- Names, and what depends on a table.
CREATE INDEX a_sum ON a (id + n);
--> index created
CREATE VIEW by_n (n, c) AS SELECT n, COUNT(*) FROM a GROUP BY n;
--> view created
CREATE VIEW last AS SELECT id, t FROM a ORDER BY id DESC LIMIT 1;
--> view created
--> note: view last is not materialized, its query runs when it is read: a materialized view can't have ORDER BY; write it in the queries that read the view
CREATE PROCEDURE get_d AS SELECT d FROM a WHERE id = ?;
--> procedure created
ALTER TABLE a RENAME COLUMN extra TO more;
--> column renamed
ALTER TABLE a RENAME COLUMN n TO m;
--> LINE 1: ALTER TABLE a RENAME COLUMN n TO m
-->                                     ^
--> error: can't rename column n of a: view by_n needs it (no column n in a); drop the view first [42000]
ALTER TABLE a RENAME TO b;
--> LINE 1: ALTER TABLE a RENAME TO b
-->                     ^
--> error: can't rename a: view by_n needs it (no table or view a); drop the view first [42000]
ALTER TABLE a ALTER s RENAME TO s2;
--> LINE 1: ALTER TABLE a ALTER s RENAME TO s2
-->                             ^
--> error: write RENAME COLUMN s TO .. to give a column another name [42601]
ALTER TABLE a ALTER COLUMN n BIGINT;
--> LINE 1: ALTER TABLE a ALTER COLUMN n BIGINT
-->                                    ^
--> error: index a_sum computes with n: drop it first [42000]
ALTER TABLE a DROP COLUMN t;
--> LINE 1: ALTER TABLE a DROP COLUMN t
-->                     ^
--> error: view last depends on this (no column t in a): drop it first [42000]
ALTER TABLE a DROP COLUMN d CASCADE;
--> error: procedure get_d depends on what is changed (no column d in a; did you mean id?); drop it first, or create it anew in the same batch [42000]
ALTER TABLE a DROP COLUMN n;
--> LINE 1: ALTER TABLE a DROP COLUMN n
-->                     ^
--> error: can't drop column n of a: view by_n needs it (no column n in a); drop the view first [42000]
ALTER TABLE a DROP COLUMN t CASCADE;
--> table altered
--> note: view last is dropped too
SELECT * FROM by_n ORDER BY n;
--> n | c
--> NULL | 4
--> 30 | 1
--> 120 | 1
--> (3 rows, partition p0)
DROP PROCEDURE get_d;
--> procedure dropped
ALTER TABLE a DROP COLUMN n CASCADE;
--> table altered
--> note: index a_sum is dropped too
--> note: view by_n is dropped too
ALTER TABLE a RENAME TO b;
--> table renamed
SELECT * FROM b ORDER BY id;
--> id | d | s | more
--> 1 | 1.500000000000 | 'one' | 'longer than what lies in a row'
--> 2 | 1.500000000000 | 'two' | 'longer than what lies in a row'
--> 3 | 1.500000000000 | 'three' | 'longer than what lies in a row'
--> 4 | 1.500000000000 | 'none' | 'longer than what lies in a row'
--> 5 | 1.500000000000 | NULL | 'longer than what lies in a row'
--> 100 | 1.500000000000 | 'none' | 'longer than what lies in a row'
--> (6 rows, partition p0)
-- Partitioned tables.
PARTITION TABLE b ON COLUMN id;
--> table partitioned
ALTER TABLE b ALTER COLUMN id BIGINT;
--> table altered
ALTER TABLE b ALTER COLUMN id VARCHAR(20);
--> table altered
SELECT id, more FROM b WHERE id = '100';
--> id | more
--> '100' | 'longer than what lies in a row'
--> (1 rows, partition p0 (hash of id))
ALTER TABLE b DROP COLUMN id;
--> LINE 1: ALTER TABLE b DROP COLUMN id
-->                                   ^^
--> error: b is partitioned on id: a partition column can't be dropped [42000]
ALTER TABLE b ALTER COLUMN id FLOAT;
--> LINE 1: ALTER TABLE b ALTER COLUMN id FLOAT
-->                                    ^^
--> error: b is partitioned on id: it can't be FLOAT [42000]
ALTER TABLE b ADD UNIQUE (s);
--> LINE 1: ALTER TABLE b ADD UNIQUE (s)
-->                                   ^
--> error: unique key uq_b_s of partitioned table b must include the partition column id; ASSUMEUNIQUE checks each partition by itself [42000]
ALTER TABLE b ADD ASSUMEUNIQUE (id, s);
--> LINE 1: ALTER TABLE b ADD ASSUMEUNIQUE (id, s)
-->                                         ^^^^^
--> error: key uq_b_id_s of b includes the partition column id, so it is unique everywhere: write UNIQUE [42000]
ALTER TABLE b ADD ASSUMEUNIQUE (s);
--> table altered
REPLICATE TABLE b;
--> error: duplicate key in b: uq_b_s already has s = 'none' [23000]
SELECT id FROM b ORDER BY id;
--> id
--> '1'
--> '100'
--> '2'
--> '3'
--> '4'
--> '5'
--> (6 rows, all partitions)
-- USING TTL.
CREATE TABLE sessions (id INTEGER NOT NULL, seen TIMESTAMP NOT NULL, n TIMESTAMP) USING TTL 30 MINUTES ON COLUMN seen BATCH_SIZE 10;
--> table created
CREATE TABLE other (seen TIMESTAMP) USING TTL 30 MINUTES ON COLUMN seen;
--> LINE 1: CREATE TABLE other (seen TIMESTAMP) USING TTL 30 MINUTES ON COLUMN seen
-->                                                                            ^^^^
--> error: TTL needs a column that is NOT NULL, and seen may be NULL [42000]
CREATE TABLE other (seen TIMESTAMP NOT NULL) USING TTL 30 ON COLUMN sen;
--> LINE 1: CREATE TABLE other (seen TIMESTAMP NOT NULL) USING TTL 30 ON COLUMN sen
-->                                                                             ^^^
--> error: no column sen in other; did you mean seen? [42000]
CREATE TABLE other (seen TIMESTAMP NOT NULL) USING TTL 30 ON COLUMN seen BATCH_SIZE 0;
--> LINE 1: CREATE TABLE other (seen TIMESTAMP NOT NULL) USING TTL 30 ON COLUMN seen BATCH_SIZE 0
-->                                                                                             ^
--> error: BATCH_SIZE must be above 0 [42601]
ALTER TABLE sessions DROP COLUMN seen;
--> LINE 1: ALTER TABLE sessions DROP COLUMN seen
-->                                          ^^^^
--> error: rows of sessions expire by seen: DROP TTL first, or add CASCADE [42000]
ALTER TABLE sessions ALTER USING TTL 5 DAYS ON COLUMN seen MAX_FREQUENCY 2;
--> table altered
ALTER TABLE sessions DROP TTL;
--> table altered
ALTER TABLE sessions DROP TTL;
--> LINE 1: ALTER TABLE sessions DROP TTL
-->                     ^^^^^^^^
--> error: sessions has no TTL [42000]
-- LIKE, and roles.
CREATE TABLE like_b (LIKE b);
--> table created
INSERT INTO like_b (id, s) VALUES (1, 'x');
--> 1 modified, all partitions
CREATE ROLE clerk WITH SQLREAD, ALLPROC;
--> role created
--> note: roles are kept, but everyone may do everything
CREATE ROLE clerk;
--> LINE 1: CREATE ROLE clerk
-->                     ^^^^^
--> error: role clerk is there already [42000]
CREATE ROLE boss WITH FLYING;
--> LINE 1: CREATE ROLE boss WITH FLYING
-->                               ^^^^^^
--> error: there is no permission FLYING [42000]
DROP ROLE clerk;
--> role dropped
DROP ROLE clerk IF EXISTS;
--> nothing dropped
--> note: there is no role clerk
CREATE STREAM s (a INTEGER);
--> LINE 1: CREATE STREAM s (a INTEGER)
-->                ^^^^^^
--> error: CREATE STREAM is not supported: there are tables, views, indexes, procedures and roles [42601]
