CREATE TABLE p (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(10), n INTEGER DEFAULT 5);
--> table created
PARTITION TABLE p ON COLUMN id;
--> table partitioned
CREATE TABLE r (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(10), n INTEGER DEFAULT 5);
--> table created
-- INSERT
INSERT INTO p VALUES (1, 'one', 10);
--> 1 modified, partition p0 (hash of id)
INSERT INTO p (name, id) VALUES ('two', 2);
--> 1 modified, partition p1 (hash of id)
INSERT INTO p VALUES (3, 'three', DEFAULT);
--> 1 modified, partition p0 (hash of id)
INSERT INTO p VALUES (3, 'three', 5), (4, 'four', 40), (5, NULL, NULL);
--> error: duplicate key in p: pk_p already has id = 3 [23000]
INSERT INTO r SELECT id, name, n FROM p WHERE n IS NOT NULL;
--> 3 modified, all partitions
SELECT * FROM r ORDER BY id;
--> id | name | n
--> 1 | 'one' | 10
--> 2 | 'two' | 5
--> 3 | 'three' | 5
--> (3 rows, partition p0)
INSERT INTO r VALUES (5, 'five');
--> LINE 1: INSERT INTO r VALUES (5, 'five')
-->                               ^^^^^^^^^
--> error: 2 values for 3 columns [42000]
INSERT INTO r (id) VALUES (5, 6);
--> LINE 1: INSERT INTO r (id) VALUES (5, 6)
-->                                    ^^^^
--> error: 2 values for 1 column [42000]
INSERT INTO r (id, id) VALUES (5, 6);
--> LINE 1: INSERT INTO r (id, id) VALUES (5, 6)
-->                            ^^
--> error: column id is listed twice [42000]
INSERT INTO r (name) VALUES ('no key');
--> LINE 1: INSERT INTO r (name) VALUES ('no key')
-->                     ^
--> error: column id of r is NOT NULL and has no default: give it a value [23000]
INSERT INTO r VALUES (6, 'a', 1), (7, 'b', 2), (6, 'c', 3);
--> error: duplicate key in r: pk_r already has id = 6 [23000]
SELECT COUNT(*) FROM r;
--> C1
--> 3
--> (1 rows, partition p0)
INSERT INTO p VALUES (11, 'a', 1), (12, 'b', 2), (13, 'c', 3), (12, 'd', 4);
--> error: duplicate key in p: pk_p already has id = 12 [23000]
SELECT COUNT(*) FROM p;
--> C1
--> 3
--> (1 rows, all partitions)
INSERT INTO r SELECT id + 10, name, n FROM r;
--> 3 modified, all partitions
SELECT id FROM r ORDER BY id;
--> id
--> 1
--> 2
--> 3
--> 11
--> 12
--> 13
--> (6 rows, partition p0)
INSERT INTO r VALUES (21, 'x', 1) RETURNING id, n + 1 AS more;
--> id | more
--> 21 | 2
--> (1 rows, all partitions)
-- UPDATE
UPDATE p SET n = n + 1 WHERE id = 1;
--> 1 modified, partition p0 (hash of id)
UPDATE p SET n = id, name = name || '!' WHERE n >= 5;
--> 3 modified, all partitions
SELECT * FROM p ORDER BY id;
--> id | name | n
--> 1 | 'one!' | 1
--> 2 | 'two!' | 2
--> 3 | 'three!' | 3
--> (3 rows, all partitions)
-- Keys are looked at when all rows have theirs.
UPDATE r SET id = id + 1;
--> 7 modified, all partitions
SELECT id FROM r ORDER BY id;
--> id
--> 2
--> 3
--> 4
--> 12
--> 13
--> 14
--> 22
--> (7 rows, partition p0)
UPDATE r SET id = 3 WHERE id = 2;
--> error: duplicate key in r: pk_r already has id = 3 [23000]
UPDATE r SET id = 100;
--> error: duplicate key in r: pk_r already has id = 100 [23000]
UPDATE r SET id = 30 - id RETURNING id;
--> id
--> 8
--> 17
--> 16
--> 18
--> 27
--> 26
--> 28
--> (7 rows, all partitions)
UPDATE r SET n = id, id = n WHERE id = 22;
--> 0 modified, all partitions
SELECT * FROM r WHERE n = 22;
--> id | name | n
--> (0 rows, partition p0)
UPDATE r SET n = id, id = n WHERE id = 8;
--> 1 modified, all partitions
SELECT * FROM r ORDER BY id;
--> id | name | n
--> 1 | 'x' | 8
--> 16 | 'three' | 5
--> 17 | 'two' | 5
--> 18 | 'one' | 10
--> 26 | 'three' | 5
--> 27 | 'two' | 5
--> 28 | 'one' | 10
--> (7 rows, partition p0)
UPDATE p SET id = id + 1 WHERE id = 4;
--> 0 modified, all partitions
UPDATE p SET id = 4 WHERE id = 4;
--> 0 modified, all partitions
UPDATE p SET nothing = 1;
--> LINE 1: UPDATE p SET nothing = 1
-->                      ^^^^^^^
--> error: no column nothing in p [42000]
UPDATE p SET n = 1, n = 2;
--> LINE 1: UPDATE p SET n = 1, n = 2
-->                             ^
--> error: column n is set twice [42000]
UPDATE p SET n = (SELECT MAX(id) FROM r) WHERE id = 5;
--> 0 modified, partition p0 (hash of id)
SELECT n FROM p WHERE id = 5;
--> n
--> (0 rows, partition p0 (hash of id))
UPDATE p SET n = 0 WHERE FALSE;
--> 0 modified, all partitions
UPDATE p AS q SET n = 77 WHERE q.id = 3 RETURNING *;
--> id | name | n
--> 3 | 'three!' | 77
--> (1 rows, partition p0 (hash of id))
-- UPSERT: only the listed columns change.
UPSERT INTO p (id, name) VALUES (3, 'THREE');
--> 1 modified, partition p0 (hash of id)
UPSERT INTO p (id, name) VALUES (6, 'six');
--> 1 modified, partition p0 (hash of id)
SELECT * FROM p WHERE id IN (3, 6) ORDER BY id;
--> id | name | n
--> 3 | 'THREE' | 77
--> 6 | 'six' | 5
--> (2 rows, all partitions)
UPSERT INTO p VALUES (6, NULL, 66), (7, 'seven', 77);
--> 2 modified, all partitions
SELECT * FROM p WHERE id IN (6, 7) ORDER BY id;
--> id | name | n
--> 6 | NULL | 66
--> 7 | 'seven' | 77
--> (2 rows, all partitions)
UPSERT INTO p (name) VALUES ('no key');
--> LINE 1: UPSERT INTO p (name) VALUES ('no key')
-->                     ^
--> error: column id of p is NOT NULL and has no default: give it a value [23000]
CREATE TABLE keyless (id INTEGER NOT NULL, n INTEGER);
--> table created
UPSERT INTO keyless VALUES (1, 1);
--> LINE 1: UPSERT INTO keyless VALUES (1, 1)
-->                     ^^^^^^^
--> error: UPSERT needs a primary key, and keyless has none [42000]
UPSERT INTO r SELECT id, 'from p', n FROM p WHERE id <= 3 ORDER BY id;
--> 3 modified, all partitions
SELECT * FROM r WHERE name = 'from p' ORDER BY id;
--> id | name | n
--> 1 | 'from p' | 1
--> 2 | 'from p' | 2
--> 3 | 'from p' | 77
--> (3 rows, partition p0)
-- DELETE
DELETE FROM p WHERE id = 7;
--> 1 modified, partition p0 (hash of id)
DELETE FROM p WHERE n IS NULL OR n = 77 RETURNING id;
--> id
--> 3
--> (1 rows, all partitions)
DELETE FROM r WHERE id IN (SELECT id FROM p);
--> 2 modified, all partitions
SELECT id FROM r ORDER BY id;
--> id
--> 3
--> 16
--> 17
--> 18
--> 26
--> 27
--> 28
--> (7 rows, partition p0)
DELETE FROM r ORDER BY id LIMIT 2;
--> 2 modified, all partitions
SELECT id FROM r ORDER BY id;
--> id
--> 17
--> 18
--> 26
--> 27
--> 28
--> (5 rows, partition p0)
DELETE FROM r AS x WHERE x.id > 20;
--> 3 modified, all partitions
DELETE FROM r;
--> 2 modified, all partitions
SELECT COUNT(*) FROM r;
--> C1
--> 0
--> (1 rows, partition p0)
TRUNCATE TABLE p;
--> 3 modified, all partitions
SELECT COUNT(*) FROM p;
--> C1
--> 0
--> (1 rows, all partitions)
DELETE FROM nothing;
--> LINE 1: DELETE FROM nothing
-->                     ^^^^^^^
--> error: no table or view nothing [42000]
-- NULLs in a unique index are all different.
CREATE UNIQUE INDEX r_name ON r (name);
--> index created
INSERT INTO r VALUES (1, NULL, 1), (2, NULL, 2), (3, 'x', 3);
--> 3 modified, all partitions
INSERT INTO r VALUES (4, 'x', 4);
--> error: duplicate key in r: r_name already has name = 'x' [23000]
UPDATE r SET name = 'x' WHERE id = 1;
--> error: duplicate key in r: r_name already has name = 'x' [23000]
UPDATE r SET name = 'y' WHERE id = 3;
--> 1 modified, all partitions
INSERT INTO r VALUES (4, 'x', 4);
--> 1 modified, all partitions
SELECT * FROM r WHERE name = 'x';
--> id | name | n
--> 4 | 'x' | 4
--> (1 rows, partition p0)
-- Swapping unique values in one statement.
UPDATE r SET name = CASE name WHEN 'x' THEN 'y' ELSE 'x' END WHERE name IS NOT NULL;
--> 2 modified, all partitions
SELECT id, name FROM r WHERE name IS NOT NULL ORDER BY id;
--> id | name
--> 3 | 'x'
--> 4 | 'y'
--> (2 rows, partition p0)
INSERT INTO keyless DEFAULT VALUES;
--> LINE 1: INSERT INTO keyless DEFAULT VALUES
-->                     ^^^^^^^
--> error: column id of keyless is NOT NULL and has no default: give it a value [23000]
INSERT INTO keyless (n) VALUES (1);
--> LINE 1: INSERT INTO keyless (n) VALUES (1)
-->                     ^^^^^^^
--> error: column id of keyless is NOT NULL and has no default: give it a value [23000]
INSERT INTO keyless VALUES (1, 1), (1, 1);
--> 2 modified, all partitions
SELECT * FROM keyless;
--> id | n
--> 1 | 1
--> 1 | 1
--> (2 rows, partition p0)
