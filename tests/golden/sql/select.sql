CREATE TABLE e (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20), dept VARCHAR(10), pay INTEGER, boss INTEGER);
--> table created
PARTITION TABLE e ON COLUMN id;
--> table partitioned
INSERT INTO e VALUES (1, 'Ann', 'top', 900, NULL), (2, 'Bob', 'ops', 300, 1), (3, 'Cid', 'ops', 200, 2), (4, 'Dee', 'dev', 500, 1), (5, 'Eve', 'dev', 400, 4), (6, 'Fay', 'dev', 400, 4), (7, 'Gus', NULL, NULL, 2);
--> 7 modified, all partitions
-- WHERE
SELECT id FROM e WHERE pay > 300 AND dept = 'dev' ORDER BY id;
--> id
--> 4
--> 5
--> 6
--> (3 rows, all partitions)
SELECT id FROM e WHERE pay <> 400 ORDER BY id;
--> id
--> 1
--> 2
--> 3
--> 4
--> (4 rows, all partitions)
SELECT id FROM e WHERE NOT (pay > 300) ORDER BY id;
--> id
--> 2
--> 3
--> (2 rows, all partitions)
SELECT id FROM e WHERE pay BETWEEN 300 AND 400 ORDER BY id;
--> id
--> 2
--> 5
--> 6
--> (3 rows, all partitions)
SELECT id FROM e WHERE pay NOT BETWEEN 300 AND 400 ORDER BY id;
--> id
--> 1
--> 3
--> 4
--> (3 rows, all partitions)
SELECT id FROM e WHERE pay BETWEEN 400 AND 300;
--> id
--> (0 rows, all partitions)
SELECT id FROM e WHERE dept IN ('ops', 'top') ORDER BY id;
--> id
--> 1
--> 2
--> 3
--> (3 rows, all partitions)
SELECT id FROM e WHERE dept NOT IN ('ops', 'top') ORDER BY id;
--> id
--> 4
--> 5
--> 6
--> (3 rows, all partitions)
SELECT id FROM e WHERE dept NOT IN ('ops', NULL) ORDER BY id;
--> id
--> (0 rows, all partitions)
SELECT id FROM e WHERE dept IS NULL;
--> id
--> 7
--> (1 rows, all partitions)
SELECT id FROM e WHERE id = 3;
--> id
--> 3
--> (1 rows, partition p0 (hash of id))
SELECT id FROM e WHERE id IN (3, 4, 99, 3) ORDER BY id;
--> id
--> 3
--> 4
--> (2 rows, all partitions)
SELECT id FROM e WHERE id = 3 AND id = 4;
--> id
--> (0 rows, partition p1 (hash of id))
SELECT id FROM e WHERE id = 3 OR id = 4 ORDER BY id;
--> id
--> 3
--> 4
--> (2 rows, all partitions)
SELECT id FROM e WHERE (id, dept) = (3, 'ops');
--> id
--> 3
--> (1 rows, partition p0 (hash of id))
SELECT id FROM e WHERE pay + 100 = 500 ORDER BY id;
--> id
--> 5
--> 6
--> (2 rows, all partitions)
-- LIKE
SELECT name FROM e WHERE name LIKE '_e%' ORDER BY name;
--> name
--> 'Dee'
--> (1 rows, all partitions)
SELECT name FROM e WHERE name NOT LIKE '%e' ORDER BY name;
--> name
--> 'Ann'
--> 'Bob'
--> 'Cid'
--> 'Fay'
--> 'Gus'
--> (5 rows, all partitions)
SELECT 'a%c' LIKE 'a!%c' ESCAPE '!', 'abc' LIKE 'a!%c' ESCAPE '!', 'äb' LIKE '_b', 'abc' LIKE 'ABC', 'abc' ILIKE 'ABC', NULL LIKE 'a', '' LIKE '%', 'abc' LIKE 'a%b%c';
--> C1 | C2 | C3 | C4 | C5 | C6 | C7 | C8
--> true | false | true | false | true | NULL | true | true
--> (1 rows, partition p0)
SELECT name FROM e WHERE name STARTS WITH 'B';
--> name
--> 'Bob'
--> (1 rows, all partitions)
-- ORDER BY: NULL sorts lowest; by name, place, expression.
SELECT id, dept, pay FROM e ORDER BY dept, pay DESC, id;
--> id | dept | pay
--> 7 | NULL | NULL
--> 4 | 'dev' | 500
--> 5 | 'dev' | 400
--> 6 | 'dev' | 400
--> 2 | 'ops' | 300
--> 3 | 'ops' | 200
--> 1 | 'top' | 900
--> (7 rows, all partitions)
SELECT id, pay FROM e ORDER BY 2 DESC, 1 DESC;
--> id | pay
--> 1 | 900
--> 4 | 500
--> 6 | 400
--> 5 | 400
--> 2 | 300
--> 3 | 200
--> 7 | NULL
--> (7 rows, all partitions)
SELECT id, pay * 2 AS double_pay FROM e ORDER BY double_pay, id LIMIT 3;
--> id | double_pay
--> 7 | NULL
--> 3 | 400
--> 2 | 600
--> (3 rows, all partitions)
SELECT name FROM e ORDER BY -id LIMIT 2;
--> name
--> 'Gus'
--> 'Fay'
--> (2 rows, all partitions)
SELECT id FROM e ORDER BY pay NULLS LAST, id;
--> id
--> 3
--> 2
--> 5
--> 6
--> 4
--> 1
--> 7
--> (7 rows, all partitions)
SELECT id, pay FROM e ORDER BY 3;
--> LINE 1: SELECT id, pay FROM e ORDER BY 3
-->                                        ^
--> error: ORDER BY position 3 is not among the 2 columns of the SELECT [42000]
SELECT id FROM e ORDER BY nothing;
--> LINE 1: SELECT id FROM e ORDER BY nothing
-->                                   ^^^^^^^
--> error: no column nothing in e [42000]
-- LIMIT and OFFSET
SELECT id FROM e ORDER BY id LIMIT 2;
--> id
--> 1
--> 2
--> (2 rows, all partitions)
SELECT id FROM e ORDER BY id LIMIT 2 OFFSET 5;
--> id
--> 6
--> 7
--> (2 rows, all partitions)
SELECT id FROM e ORDER BY id LIMIT 2 OFFSET 6;
--> id
--> 7
--> (1 rows, all partitions)
SELECT id FROM e ORDER BY id OFFSET 5;
--> id
--> 6
--> 7
--> (2 rows, all partitions)
SELECT id FROM e ORDER BY id LIMIT 0;
--> id
--> (0 rows, all partitions)
SELECT id FROM e ORDER BY id LIMIT -1;
--> LINE 1: SELECT id FROM e ORDER BY id LIMIT -1
-->                                            ^^
--> error: LIMIT can't be negative [42000]
--: values 1, 2
SELECT id FROM e ORDER BY id LIMIT ? OFFSET ?;
--> id
--> 3
--> (1 rows, all partitions)
SELECT COUNT(*) FROM (SELECT id FROM e LIMIT 3) AS three;
--> C1
--> 3
--> (1 rows, all partitions)
-- DISTINCT
SELECT DISTINCT dept FROM e;
--> dept
--> 'dev'
--> 'ops'
--> 'top'
--> NULL
--> (4 rows, all partitions)
SELECT DISTINCT dept, pay FROM e WHERE dept = 'dev';
--> dept | pay
--> 'dev' | 400
--> 'dev' | 500
--> (2 rows, all partitions)
SELECT DISTINCT pay FROM e ORDER BY pay DESC LIMIT 2;
--> pay
--> 900
--> 500
--> (2 rows, all partitions)
SELECT COUNT(DISTINCT dept), COUNT(dept), COUNT(*), SUM(DISTINCT pay), SUM(pay) FROM e;
--> C1 | C2 | C3 | C4 | C5
--> 3 | 6 | 7 | 2300 | 2700
--> (1 rows, all partitions)
-- GROUP BY and HAVING
SELECT dept, COUNT(*), SUM(pay), MIN(pay), MAX(pay), AVG(pay) FROM e GROUP BY dept;
--> dept | C2 | C3 | C4 | C5 | C6
--> 'dev' | 3 | 1300 | 400 | 500 | 433.333333333333
--> 'ops' | 2 | 500 | 200 | 300 | 250.000000000000
--> 'top' | 1 | 900 | 900 | 900 | 900.000000000000
--> NULL | 1 | NULL | NULL | NULL | NULL
--> (4 rows, all partitions)
SELECT dept, COUNT(*) AS n FROM e GROUP BY dept HAVING COUNT(*) > 1 ORDER BY n DESC;
--> dept | n
--> 'dev' | 3
--> 'ops' | 2
--> (2 rows, all partitions)
SELECT dept FROM e GROUP BY dept HAVING MAX(pay) >= 500 ORDER BY 1;
--> dept
--> 'dev'
--> 'top'
--> (2 rows, all partitions)
SELECT pay / 100 AS hundreds, COUNT(*) FROM e GROUP BY pay / 100 ORDER BY hundreds;
--> hundreds | C2
--> NULL | 1
--> 2 | 1
--> 3 | 1
--> 4 | 2
--> 5 | 1
--> 9 | 1
--> (6 rows, all partitions)
SELECT UPPER(dept) AS d, SUM(pay) FROM e GROUP BY d ORDER BY d;
--> d | C2
--> NULL | NULL
--> 'DEV' | 1300
--> 'OPS' | 500
--> 'TOP' | 900
--> (4 rows, all partitions)
SELECT COUNT(*), SUM(pay), MIN(pay), AVG(pay) FROM e WHERE id > 100;
--> C1 | C2 | C3 | C4
--> 0 | NULL | NULL | NULL
--> (1 rows, all partitions)
SELECT dept, COUNT(*) FROM e WHERE id > 100 GROUP BY dept;
--> dept | C2
--> (0 rows, all partitions)
SELECT SUM(pay) FROM e HAVING COUNT(*) > 100;
--> C1
--> (0 rows, all partitions)
SELECT SUM(pay) + COUNT(*) * 2 FROM e;
--> C1
--> 2714
--> (1 rows, all partitions)
SELECT dept, name FROM e GROUP BY dept;
--> LINE 1: SELECT dept, name FROM e GROUP BY dept
-->                      ^^^^
--> error: column name must be in GROUP BY or inside an aggregate function [42000]
SELECT id FROM e WHERE COUNT(*) > 1;
--> LINE 1: SELECT id FROM e WHERE COUNT(*) > 1
-->                                ^^^^^^^^
--> error: aggregate function COUNT can't stand in WHERE; use HAVING, or a subquery [42000]
SELECT SUM(SUM(pay)) FROM e;
--> LINE 1: SELECT SUM(SUM(pay)) FROM e
-->                    ^^^^^^^^
--> error: aggregate function SUM can't stand inside another [42000]
SELECT dept, SUM(pay) FROM e GROUP BY dept ORDER BY SUM(pay) DESC LIMIT 1;
--> dept | C2
--> 'dev' | 1300
--> (1 rows, all partitions)
SELECT MAX(name), MIN(dept) FROM e;
--> C1 | C2
--> 'Gus' | 'dev'
--> (1 rows, all partitions)
-- Grouping by NULL and over one partition.
SELECT boss, COUNT(*) FROM e GROUP BY boss ORDER BY boss;
--> boss | C2
--> NULL | 1
--> 1 | 2
--> 2 | 2
--> 4 | 2
--> (4 rows, all partitions)
SELECT COUNT(*) FROM e WHERE id = 3;
--> C1
--> 1
--> (1 rows, partition p0 (hash of id))
-- CASE
SELECT id, CASE WHEN pay > 450 THEN 'high' WHEN pay > 250 THEN 'middle' ELSE 'low' END AS band FROM e ORDER BY id;
--> id | band
--> 1 | 'high'
--> 2 | 'middle'
--> 3 | 'low'
--> 4 | 'high'
--> 5 | 'middle'
--> 6 | 'middle'
--> 7 | 'low'
--> (7 rows, all partitions)
SELECT id, CASE dept WHEN 'ops' THEN 1 WHEN 'dev' THEN 2 END FROM e ORDER BY id LIMIT 4;
--> id | C2
--> 1 | NULL
--> 2 | 1
--> 3 | 1
--> 4 | 2
--> (4 rows, all partitions)
SELECT CASE WHEN 1 = 1 THEN 1 ELSE 1 / 0 END;
--> C1
--> 1
--> (1 rows, partition p0)
SELECT CASE WHEN FALSE THEN 1 ELSE 'a' END;
--> LINE 1: SELECT CASE WHEN FALSE THEN 1 ELSE 'a' END
-->                                            ^^^
--> error: cannot read 'a' as INTEGER [22018]
-- No FROM, stars, aliases.
SELECT 1 AS one, 'a' AS two, 1 + 1;
--> one | two | C3
--> 1 | 'a' | 2
--> (1 rows, partition p0)
SELECT *, id + 1 AS next FROM e WHERE id = 1;
--> id | name | dept | pay | boss | next
--> 1 | 'Ann' | 'top' | 900 | NULL | 2
--> (1 rows, partition p0 (hash of id))
SELECT x.* FROM e AS x WHERE x.id = 1;
--> id | name | dept | pay | boss
--> 1 | 'Ann' | 'top' | 900 | NULL
--> (1 rows, partition p0 (hash of id))
SELECT e.id FROM e AS x;
--> LINE 1: SELECT e.id FROM e AS x
-->                ^^^^
--> error: no table e in FROM [42000]
SELECT *;
--> LINE 1: SELECT *
-->                ^
--> error: * needs a FROM [42000]
VALUES (1, 'a'), (2, 'b');
--> C1 | C2
--> 1 | 'a'
--> 2 | 'b'
--> (2 rows, partition p0)
SELECT a + b FROM (VALUES (1, 2), (3, 4)) AS t (a, b) ORDER BY 1;
--> C1
--> 3
--> 7
--> (2 rows, partition p0)
-- Functions
SELECT ABS(-3), FLOOR(2.7), CEILING(2.1), ROUND(2.345, 2), POWER(2, 10), SQRT(16), MOD(7, 3);
--> C1 | C2 | C3 | C4 | C5 | C6 | C7
--> 3 | 2.000000000000 | 3.000000000000 | 2.340000000000 | 1024.0 | 4.0 | 1
--> (1 rows, partition p0)
SELECT SUBSTRING('hello' FROM 2 FOR 3), SUBSTRING('hello', 2), SUBSTRING('hello' FROM 0 FOR 3), LEFT('hello', 2), RIGHT('hello', 2), POSITION('l' IN 'hello'), REPLACE('hello', 'l', 'L');
--> C1 | C2 | C3 | C4 | C5 | C6 | C7
--> 'ell' | 'ello' | 'he' | 'he' | 'lo' | 3 | 'heLLo'
--> (1 rows, partition p0)
SELECT TRIM('  a '), LTRIM('  a'), RTRIM('a  '), TRIM(LEADING 'x' FROM 'xxaxx'), REPEAT('ab', 3), CONCAT('a', 1, 'b'), LOWER('ÄB'), UPPER('äb');
--> C1 | C2 | C3 | C4 | C5 | C6 | C7 | C8
--> 'a' | 'a' | 'a' | 'axx' | 'ababab' | 'a1b' | 'äb' | 'ÄB'
--> (1 rows, partition p0)
SELECT FIELD('{"a":{"b":[1,"x"]}}', 'a.b[1]'), ARRAY_LENGTH('[1,2,3]'), ARRAY_ELEMENT('[1,2,3]', 0);
--> C1 | C2 | C3
--> 'x' | 3 | '1'
--> (1 rows, partition p0)
SELECT nothing(1);
--> LINE 1: SELECT nothing(1)
-->                ^^^^^^^^^^
--> error: no function NOTHING [42000]
SELECT ABS();
--> LINE 1: SELECT ABS()
-->                ^^^^^
--> error: ABS takes 1 argument, not 0 [42000]
SELECT ABS('a');
--> LINE 1: SELECT ABS('a')
-->                ^^^^^^^^
--> error: argument 1 of ABS must be a number, not VARCHAR(1) [42000]
