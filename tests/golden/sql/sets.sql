CREATE TABLE a (n INTEGER);
--> table created
CREATE TABLE b (n INTEGER NOT NULL);
--> table created
PARTITION TABLE b ON COLUMN n;
--> table partitioned
INSERT INTO a VALUES (1), (2), (2), (3), (NULL), (NULL);
--> 6 modified, all partitions
INSERT INTO b VALUES (2), (3), (3), (4);
--> 4 modified, all partitions
SELECT n FROM a UNION SELECT n FROM b ORDER BY n;
--> n
--> NULL
--> 1
--> 2
--> 3
--> 4
--> (5 rows, all partitions)
SELECT n FROM a UNION ALL SELECT n FROM b ORDER BY n;
--> n
--> NULL
--> NULL
--> 1
--> 2
--> 2
--> 2
--> 3
--> 3
--> 3
--> 4
--> (10 rows, all partitions)
SELECT n FROM a INTERSECT SELECT n FROM b ORDER BY n;
--> n
--> 2
--> 3
--> (2 rows, all partitions)
SELECT n FROM a EXCEPT SELECT n FROM b ORDER BY n;
--> n
--> NULL
--> 1
--> (2 rows, all partitions)
SELECT n FROM a EXCEPT ALL SELECT n FROM b ORDER BY n;
--> n
--> NULL
--> NULL
--> 1
--> 2
--> (4 rows, all partitions)
SELECT n FROM a INTERSECT ALL SELECT n FROM b ORDER BY n;
--> n
--> 2
--> 3
--> (2 rows, all partitions)
SELECT n FROM a INTERSECT SELECT n FROM a ORDER BY n;
--> n
--> NULL
--> 1
--> 2
--> 3
--> (4 rows, partition p0)
SELECT 1 UNION SELECT 2 UNION ALL SELECT 2 ORDER BY 1;
--> C1
--> 1
--> 2
--> 2
--> (3 rows, partition p0)
SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 ORDER BY 1;
--> C1
--> 1
--> (1 rows, partition p0)
(SELECT 1 UNION SELECT 2) INTERSECT SELECT 2;
--> C1
--> 2
--> (1 rows, partition p0)
SELECT 1 AS x UNION SELECT 2.5 ORDER BY x DESC;
--> x
--> 2.500000000000
--> 1.000000000000
--> (2 rows, partition p0)
SELECT 1 UNION SELECT 'a';
--> LINE 1: SELECT 1 UNION SELECT 'a'
-->         ^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: UNION of column C1: INTEGER and VARCHAR have no common type [42000]
SELECT 1, 2 UNION SELECT 1;
--> LINE 1: SELECT 1, 2 UNION SELECT 1
-->         ^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: UNION of 2 and 1 columns: both sides need the same number [42000]
(SELECT n FROM b ORDER BY n DESC LIMIT 1) UNION ALL (SELECT n FROM b ORDER BY n LIMIT 1) ORDER BY 1;
--> n
--> 2
--> 4
--> (2 rows, all partitions)
SELECT n FROM a UNION SELECT n FROM b ORDER BY n LIMIT 2 OFFSET 1;
--> n
--> 1
--> 2
--> (2 rows, all partitions)
SELECT COUNT(*) FROM (SELECT n FROM a UNION SELECT n FROM b) AS u;
--> C1
--> 5
--> (1 rows, all partitions)
SELECT n FROM a WHERE n IN (SELECT n FROM b UNION SELECT 1) ORDER BY n;
--> n
--> 1
--> 2
--> 2
--> 3
--> (4 rows, all partitions)
SELECT NULL UNION SELECT 1 ORDER BY 1;
--> C1
--> NULL
--> 1
--> (2 rows, partition p0)
-- WITH
WITH t AS (SELECT n, COUNT(*) AS c FROM b GROUP BY n) SELECT * FROM t WHERE c > 1;
--> n | c
--> 3 | 2
--> (1 rows, all partitions)
WITH t (x) AS (SELECT n FROM a), u AS (SELECT x + 1 AS y FROM t) SELECT y FROM u WHERE y IS NOT NULL ORDER BY y;
--> y
--> 2
--> 3
--> 3
--> 4
--> (4 rows, partition p0)
WITH t AS (SELECT n FROM a) SELECT x.n FROM t AS x JOIN t AS y ON x.n = y.n ORDER BY x.n;
--> n
--> 1
--> 2
--> 2
--> 2
--> 2
--> 3
--> (6 rows, partition p0)
WITH a AS (SELECT 99 AS n) SELECT * FROM a;
--> n
--> 99
--> (1 rows, partition p0)
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t ORDER BY n;
--> n
--> 1
--> 2
--> 3
--> 4
--> 5
--> (5 rows, partition p0)
WITH RECURSIVE t (n) AS (SELECT 1 UNION SELECT (n + 1) % 3 FROM t) SELECT n FROM t ORDER BY n;
--> n
--> 0
--> 1
--> 2
--> (3 rows, partition p0)
WITH t (x, y) AS (SELECT n FROM a) SELECT * FROM t;
--> LINE 1: WITH t (x, y) AS (SELECT n FROM a) SELECT * FROM t
-->                 ^^^^
--> error: t has 2 column names for 1 columns [42000]
SELECT * FROM t;
--> LINE 1: SELECT * FROM t
-->                       ^
--> error: no table or view t [42000]
-- Window functions
CREATE TABLE s (g VARCHAR(1) NOT NULL, k INTEGER NOT NULL, v INTEGER);
--> table created
PARTITION TABLE s ON COLUMN k;
--> table partitioned
INSERT INTO s VALUES ('a', 1, 10), ('a', 2, 20), ('a', 3, 20), ('b', 4, 5), ('b', 5, NULL), ('c', 6, 7);
--> 6 modified, all partitions
SELECT g, k, ROW_NUMBER() OVER (PARTITION BY g ORDER BY k DESC) AS r FROM s ORDER BY g, k;
--> g | k | r
--> 'a' | 1 | 3
--> 'a' | 2 | 2
--> 'a' | 3 | 1
--> 'b' | 4 | 2
--> 'b' | 5 | 1
--> 'c' | 6 | 1
--> (6 rows, all partitions)
SELECT k, RANK() OVER (ORDER BY v DESC) AS r, DENSE_RANK() OVER (ORDER BY v DESC) AS d FROM s ORDER BY k;
--> k | r | d
--> 1 | 3 | 2
--> 2 | 1 | 1
--> 3 | 1 | 1
--> 4 | 5 | 4
--> 5 | 6 | 5
--> 6 | 4 | 3
--> (6 rows, all partitions)
SELECT k, SUM(v) OVER (PARTITION BY g ORDER BY v) AS s FROM s ORDER BY k;
--> k | s
--> 1 | 10
--> 2 | 50
--> 3 | 50
--> 4 | 5
--> 5 | NULL
--> 6 | 7
--> (6 rows, all partitions)
SELECT k, SUM(v) OVER (PARTITION BY g) AS s, COUNT(*) OVER () AS n, MAX(v) OVER (PARTITION BY g ORDER BY k) AS m FROM s ORDER BY k;
--> k | s | n | m
--> 1 | 50 | 6 | 10
--> 2 | 50 | 6 | 20
--> 3 | 50 | 6 | 20
--> 4 | 5 | 6 | 5
--> 5 | 5 | 6 | 5
--> 6 | 7 | 6 | 7
--> (6 rows, all partitions)
SELECT k, COUNT(v) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c FROM s ORDER BY k;
--> k | c
--> 1 | 2
--> 2 | 3
--> 3 | 3
--> 4 | 2
--> 5 | 2
--> 6 | 1
--> (6 rows, all partitions)
SELECT g, SUM(v), RANK() OVER (ORDER BY SUM(v) DESC) AS r FROM s GROUP BY g ORDER BY g;
--> g | C2 | r
--> 'a' | 50 | 1
--> 'b' | 5 | 3
--> 'c' | 7 | 2
--> (3 rows, all partitions)
SELECT k FROM s WHERE ROW_NUMBER() OVER (ORDER BY k) = 1;
--> LINE 1: SELECT k FROM s WHERE ROW_NUMBER() OVER (ORDER BY k) = 1
-->                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: window function ROW_NUMBER can't stand in WHERE; use a FROM subquery [42000]
SELECT g, k FROM (SELECT g, k, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC, k) AS r FROM s) AS t WHERE r = 1 ORDER BY g;
--> g | k
--> 'a' | 2
--> 'b' | 4
--> 'c' | 6
--> (3 rows, all partitions)
SELECT k, LAG(v) OVER (ORDER BY k) AS l FROM s ORDER BY k;
--> k | l
--> 1 | NULL
--> 2 | 10
--> 3 | 20
--> 4 | 20
--> 5 | 5
--> 6 | NULL
--> (6 rows, all partitions)
SELECT k, ROW_NUMBER() OVER (ORDER BY k) AS r FROM s ORDER BY k LIMIT 2;
--> k | r
--> 1 | 1
--> 2 | 2
--> (2 rows, all partitions)
SELECT DISTINCT g, COUNT(*) OVER (PARTITION BY g) AS n FROM s ORDER BY g;
--> g | n
--> 'a' | 3
--> 'b' | 2
--> 'c' | 1
--> (3 rows, all partitions)
