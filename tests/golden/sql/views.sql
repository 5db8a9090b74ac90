CREATE TABLE p (id INTEGER NOT NULL PRIMARY KEY, g VARCHAR(5), n INTEGER, d DECIMAL);
--> table created
PARTITION TABLE p ON COLUMN id;
--> table partitioned
CREATE TABLE r (id INTEGER NOT NULL PRIMARY KEY, g VARCHAR(5), n INTEGER);
--> table created
INSERT INTO p VALUES (1, 'a', 10, 1.5), (2, 'b', 20, 2.5);
--> 2 modified, all partitions
-- A view over rows that are there is filled at once.
CREATE VIEW vp (g, c, s, lo, hi, cn, sd) AS SELECT g, COUNT(*), SUM(n), MIN(n), MAX(n), COUNT(n), SUM(d) FROM p GROUP BY g;
--> view created
CREATE VIEW vr (g, c, s, lo, hi) AS SELECT g, COUNT(*), SUM(n), MIN(n), MAX(n) FROM r GROUP BY g;
--> view created
CREATE VIEW vall (c, s, lo) AS SELECT COUNT(*), SUM(n), MIN(n) FROM p;
--> view created
CREATE VIEW vbig (g, c) AS SELECT g, COUNT(*) FROM p WHERE n >= 20 GROUP BY g;
--> view created
CREATE VIEW vid (id, c) AS SELECT id, COUNT(*) FROM p GROUP BY id;
--> view created
CREATE VIEW vexpr (m, c, s) AS SELECT n / 10, COUNT(*), SUM(n * 2) FROM r GROUP BY n / 10;
--> view created
CREATE INDEX vp_c ON vp (c);
--> index created
SELECT * FROM vp ORDER BY g;
--> g | c | s | lo | hi | cn | sd
--> 'a' | 1 | 10 | 10 | 10 | 1 | 1.500000000000
--> 'b' | 1 | 20 | 20 | 20 | 1 | 2.500000000000
--> (2 rows, all partitions)
SELECT * FROM vall;
--> c | s | lo
--> 2 | 30 | 10
--> (1 rows, all partitions)
SELECT * FROM vbig;
--> g | c
--> 'b' | 1
--> (1 rows, all partitions)
-- One row for each group, though rows of the group lie on both partitions.
INSERT INTO p VALUES (3, 'a', 30, NULL), (4, 'a', 5, 1), (5, 'b', NULL, 1), (6, NULL, 6, 6), (7, NULL, 7, 7), (8, 'a', 40, 0);
--> 6 modified, all partitions
INSERT INTO r SELECT id, g, n FROM p;
--> 8 modified, all partitions
SELECT * FROM vp ORDER BY g;
--> g | c | s | lo | hi | cn | sd
--> NULL | 2 | 13 | 6 | 7 | 2 | 13.000000000000
--> 'a' | 4 | 85 | 5 | 40 | 4 | 2.500000000000
--> 'b' | 2 | 20 | 20 | 20 | 1 | 3.500000000000
--> (3 rows, all partitions)
SELECT * FROM vp WHERE g = 'a';
--> g | c | s | lo | hi | cn | sd
--> 'a' | 4 | 85 | 5 | 40 | 4 | 2.500000000000
--> (1 rows, all partitions)
SELECT * FROM vr ORDER BY g;
--> g | c | s | lo | hi
--> NULL | 2 | 13 | 6 | 7
--> 'a' | 4 | 85 | 5 | 40
--> 'b' | 2 | 20 | 20 | 20
--> (3 rows, partition p0)
SELECT * FROM vall;
--> c | s | lo
--> 8 | 118 | 5
--> (1 rows, all partitions)
SELECT * FROM vbig ORDER BY g;
--> g | c
--> 'a' | 2
--> 'b' | 1
--> (2 rows, all partitions)
SELECT * FROM vid WHERE id = 4;
--> id | c
--> 4 | 1
--> (1 rows, partition p1 (hash of id))
SELECT * FROM vid ORDER BY id LIMIT 3;
--> id | c
--> 1 | 1
--> 2 | 1
--> 3 | 1
--> (3 rows, all partitions)
SELECT * FROM vexpr ORDER BY m;
--> m | c | s
--> NULL | 1 | NULL
--> 0 | 3 | 36
--> 1 | 1 | 20
--> 2 | 1 | 40
--> 3 | 1 | 60
--> 4 | 1 | 80
--> (6 rows, partition p0)
SELECT COUNT(*) FROM vp;
--> C1
--> 3
--> (1 rows, all partitions)
SELECT g FROM vp WHERE c > 2 ORDER BY g;
--> g
--> 'a'
--> (1 rows, all partitions)
SELECT g, c FROM vp WHERE c >= 2 ORDER BY c DESC, g;
--> g | c
--> 'a' | 4
--> NULL | 2
--> 'b' | 2
--> (3 rows, all partitions)
SELECT MAX(c), SUM(s) FROM vp;
--> C1 | C2
--> 4 | 118
--> (1 rows, all partitions)
SELECT v.g, r.id FROM vp AS v JOIN r ON r.g = v.g WHERE v.c = 2 ORDER BY r.id;
--> g | id
--> 'b' | 2
--> 'b' | 5
--> (2 rows, all partitions)
SELECT id FROM r WHERE g IN (SELECT g FROM vp WHERE c = 4) ORDER BY id;
--> id
--> 1
--> 3
--> 4
--> 8
--> (4 rows, all partitions)
SELECT (SELECT s FROM vp WHERE g = 'a');
--> C1
--> 85
--> (1 rows, all partitions)
-- The smallest and largest are found anew when they go.
UPDATE p SET n = 50 WHERE id = 4;
--> 1 modified, partition p1 (hash of id)
SELECT g, lo, hi, s FROM vp WHERE g = 'a';
--> g | lo | hi | s
--> 'a' | 10 | 50 | 130
--> (1 rows, all partitions)
DELETE FROM p WHERE id = 4;
--> 1 modified, partition p1 (hash of id)
SELECT g, c, lo, hi, s FROM vp WHERE g = 'a';
--> g | c | lo | hi | s
--> 'a' | 3 | 10 | 40 | 80
--> (1 rows, all partitions)
UPDATE r SET n = NULL WHERE g = 'b';
--> 2 modified, all partitions
SELECT * FROM vr WHERE g = 'b';
--> g | c | s | lo | hi
--> 'b' | 2 | NULL | NULL | NULL
--> (1 rows, partition p0)
-- A change of the group key moves the row.
UPDATE p SET g = 'c' WHERE id = 2;
--> 1 modified, partition p1 (hash of id)
SELECT g, c, s, cn FROM vp ORDER BY g;
--> g | c | s | cn
--> NULL | 2 | 13 | 2
--> 'a' | 3 | 80 | 3
--> 'b' | 1 | NULL | 0
--> 'c' | 1 | 20 | 1
--> (4 rows, all partitions)
UPDATE r SET g = 'z';
--> 8 modified, all partitions
SELECT * FROM vr;
--> g | c | s | lo | hi
--> 'z' | 8 | 98 | 5 | 40
--> (1 rows, partition p0)
-- The last row of a group takes the group along.
DELETE FROM p WHERE g = 'c';
--> 1 modified, all partitions
SELECT g FROM vp ORDER BY g;
--> g
--> NULL
--> 'a'
--> 'b'
--> (3 rows, all partitions)
DELETE FROM p WHERE id = 3;
--> 1 modified, partition p0 (hash of id)
-- A failing statement leaves the views alone.
INSERT INTO p VALUES (20, 'new', 1, 1), (21, 'new', 1, 1), (1, 'dup', 1, 1);
--> error: duplicate key in p: pk_p already has id = 1 [23000]
SELECT g, c FROM vp ORDER BY g;
--> g | c
--> NULL | 2
--> 'a' | 2
--> 'b' | 1
--> (3 rows, all partitions)
UPDATE p SET n = n / (id - 8);
--> error: division by zero [22012]
SELECT * FROM vall;
--> c | s | lo
--> 5 | 63 | 6
--> (1 rows, all partitions)
-- Views cannot be changed directly.
INSERT INTO vp VALUES ('x', 1, 1, 1, 1, 1, 1);
--> LINE 1: INSERT INTO vp VALUES ('x', 1, 1, 1, 1, 1, 1)
-->                     ^^
--> error: INSERT can't change vp: it is a view, and follows its table [42000]
UPDATE vp SET c = 1;
--> LINE 1: UPDATE vp SET c = 1
-->                ^^
--> error: UPDATE can't change vp: it is a view, and follows its table [42000]
DELETE FROM vp;
--> LINE 1: DELETE FROM vp
-->                     ^^
--> error: DELETE can't change vp: it is a view, and follows its table [42000]
TRUNCATE TABLE vp;
--> LINE 1: TRUNCATE TABLE vp
-->                        ^^
--> error: TRUNCATE can't change vp: it is a view, and follows its table [42000]
TRUNCATE TABLE p;
--> 5 modified, all partitions
SELECT * FROM vp;
--> g | c | s | lo | hi | cn | sd
--> (0 rows, all partitions)
SELECT * FROM vall;
--> c | s | lo
--> 0 | NULL | NULL
--> (1 rows, all partitions)
DELETE FROM r;
--> 8 modified, all partitions
SELECT * FROM vr;
--> g | c | s | lo | hi
--> (0 rows, partition p0)
SELECT * FROM vexpr;
--> m | c | s
--> (0 rows, partition p0)
-- The sum of a view can overflow: the statement fails.
CREATE TABLE big (id INTEGER NOT NULL PRIMARY KEY, n BIGINT);
--> table created
CREATE VIEW vsum (c, s) AS SELECT COUNT(*), SUM(n) FROM big;
--> view created
INSERT INTO big VALUES (1, 9223372036854775807);
--> 1 modified, all partitions
INSERT INTO big VALUES (2, 1);
--> error: value out of range for type BIGINT [22003]
SELECT * FROM vsum;
--> c | s
--> 1 | 9223372036854775807
--> (1 rows, partition p0)
-- A view over two tables.
CREATE TABLE o (id INTEGER NOT NULL PRIMARY KEY, c INTEGER NOT NULL, n INTEGER);
--> table created
CREATE TABLE c (id INTEGER NOT NULL PRIMARY KEY, city VARCHAR(10));
--> table created
CREATE VIEW by_city (city, c, n) AS SELECT c.city, COUNT(*), SUM(o.n) FROM o JOIN c ON o.c = c.id GROUP BY c.city;
--> view created
