CREATE TABLE r (id INTEGER NOT NULL PRIMARY KEY, n INTEGER);
--> table created
CREATE TABLE p (id INTEGER NOT NULL PRIMARY KEY, r INTEGER, n INTEGER);
--> table created
PARTITION TABLE p ON COLUMN id;
--> table partitioned
INSERT INTO r VALUES (1, 10), (2, 20), (3, NULL), (4, 40);
--> 4 modified, all partitions
INSERT INTO p VALUES (1, 1, 5), (2, 1, 15), (3, 2, 25), (4, NULL, 35), (5, 9, NULL);
--> 5 modified, all partitions
-- Scalar: no row gives NULL, two are an error.
SELECT (SELECT n FROM r WHERE id = 2), (SELECT n FROM r WHERE id = 99);
--> C1 | C2
--> 20 | NULL
--> (1 rows, partition p0)
SELECT (SELECT n FROM r);
--> error: a subquery that stands for one value gave more than one row [21000]
SELECT (SELECT id, n FROM r WHERE id = 1);
--> LINE 1: SELECT (SELECT id, n FROM r WHERE id = 1)
-->                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: a query used as a value has one column, not 2 [42000]
SELECT id FROM p WHERE n > (SELECT MIN(n) FROM r) ORDER BY id;
--> id
--> 2
--> 3
--> 4
--> (3 rows, all partitions)
SELECT id FROM r WHERE n = (SELECT MAX(n) FROM r);
--> id
--> 4
--> (1 rows, partition p0)
SELECT id FROM p WHERE n = (SELECT MAX(n) FROM p);
--> id
--> 4
--> (1 rows, all partitions)
-- Correlated.
SELECT id, (SELECT n FROM r WHERE r.id = p.r) FROM p ORDER BY id;
--> id | C2
--> 1 | 10
--> 2 | 10
--> 3 | 20
--> 4 | NULL
--> 5 | NULL
--> (5 rows, all partitions)
SELECT id, (SELECT COUNT(*) FROM p WHERE p.r = r.id) FROM r ORDER BY id;
--> id | C2
--> 1 | 2
--> 2 | 1
--> 3 | 0
--> 4 | 0
--> (4 rows, all partitions)
SELECT id FROM r WHERE (SELECT SUM(n) FROM p WHERE p.r = r.id) = 20;
--> id
--> 1
--> (1 rows, all partitions)
SELECT id FROM r AS a WHERE n = (SELECT MAX(b.n) FROM r AS b WHERE b.id <= a.id) ORDER BY id;
--> id
--> 1
--> 2
--> 4
--> (3 rows, partition p0)
-- EXISTS
SELECT id FROM r WHERE EXISTS (SELECT * FROM p WHERE p.r = r.id) ORDER BY id;
--> id
--> 1
--> 2
--> (2 rows, all partitions)
SELECT id FROM r WHERE NOT EXISTS (SELECT * FROM p WHERE p.r = r.id) ORDER BY id;
--> id
--> 3
--> 4
--> (2 rows, all partitions)
SELECT EXISTS (SELECT 1 FROM r WHERE id = 1), EXISTS (SELECT 1 FROM r WHERE id = 99);
--> C1 | C2
--> true | false
--> (1 rows, partition p0)
-- IN, with the NULL rules.
SELECT id FROM r WHERE id IN (SELECT r FROM p) ORDER BY id;
--> id
--> 1
--> 2
--> (2 rows, all partitions)
SELECT id FROM r WHERE id NOT IN (SELECT r FROM p) ORDER BY id;
--> id
--> (0 rows, all partitions)
SELECT id FROM r WHERE id NOT IN (SELECT r FROM p WHERE r IS NOT NULL) ORDER BY id;
--> id
--> 3
--> 4
--> (2 rows, all partitions)
SELECT id FROM r WHERE id NOT IN (SELECT r FROM p WHERE FALSE) ORDER BY id;
--> id
--> 1
--> 2
--> 3
--> 4
--> (4 rows, all partitions)
SELECT id FROM r WHERE n IN (SELECT n FROM r WHERE id = 3);
--> id
--> (0 rows, partition p0)
SELECT id FROM r WHERE (id, n) IN (SELECT id, n FROM r WHERE n >= 20) ORDER BY id;
--> id
--> 2
--> 4
--> (2 rows, partition p0)
SELECT NULL IN (SELECT id FROM r WHERE FALSE), 1 IN (SELECT n FROM r), 10 IN (SELECT n FROM r);
--> C1 | C2 | C3
--> false | NULL | true
--> (1 rows, partition p0)
-- ANY and ALL
SELECT id FROM r WHERE n > ANY (SELECT n FROM p) ORDER BY id;
--> id
--> 1
--> 2
--> 4
--> (3 rows, all partitions)
SELECT id FROM r WHERE n >= ALL (SELECT n FROM r WHERE n IS NOT NULL);
--> id
--> 4
--> (1 rows, partition p0)
SELECT id FROM r WHERE n >= ALL (SELECT n FROM r);
--> id
--> (0 rows, partition p0)
SELECT id FROM r WHERE n = ANY (SELECT n FROM p WHERE FALSE);
--> id
--> (0 rows, all partitions)
SELECT id FROM r WHERE n > ALL (SELECT n FROM p WHERE FALSE) ORDER BY id;
--> id
--> 1
--> 2
--> 3
--> 4
--> (4 rows, all partitions)
SELECT id FROM r WHERE n <> ALL (SELECT n FROM r WHERE id = 1) ORDER BY id;
--> id
--> 2
--> 4
--> (2 rows, partition p0)
-- In FROM, and deeper.
SELECT t.n2 FROM (SELECT n * 2 AS n2 FROM r WHERE n IS NOT NULL) AS t WHERE t.n2 > 20 ORDER BY 1;
--> n2
--> 40
--> 80
--> (2 rows, partition p0)
SELECT MAX(c) FROM (SELECT r, COUNT(*) AS c FROM p GROUP BY r) AS t;
--> C1
--> 2
--> (1 rows, all partitions)
SELECT id FROM r WHERE id IN (SELECT r FROM p WHERE n > (SELECT MIN(n) FROM p)) ORDER BY id;
--> id
--> 1
--> 2
--> (2 rows, all partitions)
SELECT CASE WHEN EXISTS (SELECT * FROM r) THEN 'some' ELSE 'none' END;
--> C1
--> 'some'
--> (1 rows, partition p0)
SELECT id FROM r ORDER BY (SELECT -MAX(id) FROM p WHERE p.r = r.id), id;
--> id
--> 3
--> 4
--> 2
--> 1
--> (4 rows, all partitions)
SELECT r.n, COUNT(*) FROM r GROUP BY r.n HAVING COUNT(*) >= (SELECT COUNT(*) FROM p WHERE p.n = 5) ORDER BY r.n;
--> n | C2
--> NULL | 1
--> 10 | 1
--> 20 | 1
--> 40 | 1
--> (4 rows, all partitions)
-- In changes.
UPDATE r SET n = (SELECT SUM(n) FROM p WHERE p.r = r.id) WHERE id IN (SELECT r FROM p);
--> 2 modified, all partitions
SELECT * FROM r ORDER BY id;
--> id | n
--> 1 | 20
--> 2 | 25
--> 3 | NULL
--> 4 | 40
--> (4 rows, partition p0)
DELETE FROM p WHERE NOT EXISTS (SELECT * FROM r WHERE r.id = p.r);
--> 2 modified, all partitions
SELECT id FROM p ORDER BY id;
--> id
--> 1
--> 2
--> 3
--> (3 rows, all partitions)
INSERT INTO r VALUES ((SELECT MAX(id) + 1 FROM r), 50);
--> 1 modified, all partitions
SELECT * FROM r WHERE n = 50;
--> id | n
--> 5 | 50
--> (1 rows, partition p0)
INSERT INTO r SELECT id + 100, n FROM r WHERE n = (SELECT MAX(n) FROM r);
--> 1 modified, all partitions
SELECT COUNT(*) FROM r;
--> C1
--> 6
--> (1 rows, partition p0)
