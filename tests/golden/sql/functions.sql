-- Functions of JSON, formats, windows of time and addresses, and aggregates beyond the five.
--: types

CREATE TABLE docs (id INTEGER NOT NULL PRIMARY KEY, j VARCHAR(200));
--> table created
INSERT INTO docs VALUES (1, '{"name":"Ann","tags":["a","b"],"age":41,"at":{"city":"Oslo"}}'), (2, '{"name":"Bob","tags":[]}'), (3, NULL);
--> 3 modified, all partitions

SELECT id, FIELD(j, 'name'), FIELD(j, 'at.city'), FIELD(j, 'tags[-1]'), ARRAY_LENGTH(FIELD(j, 'tags')) FROM docs ORDER BY id;
--> id INTEGER | C2 VARCHAR | C3 VARCHAR | C4 VARCHAR | C5 INTEGER
--> 1 | 'Ann' | 'Oslo' | 'b' | 2
--> 2 | 'Bob' | NULL | NULL | 0
--> 3 | NULL | NULL | NULL | NULL
--> (3 rows, partition p0)

SELECT id, j -> 'tags' ->> 0 AS tag, j ->> 'name' AS name, (j -> 'at') ->> 'city' AS city FROM docs ORDER BY id;
--> id INTEGER | tag VARCHAR | name VARCHAR | city VARCHAR
--> 1 | 'a' | 'Ann' | 'Oslo'
--> 2 | NULL | 'Bob' | NULL
--> 3 | NULL | NULL | NULL
--> (3 rows, partition p0)

SELECT id FROM docs WHERE j ->> 'name' = 'Bob' OR CAST(j ->> 'age' AS INTEGER) > 40 ORDER BY id;
--> id INTEGER
--> 1
--> 2
--> (2 rows, partition p0)

UPDATE docs SET j = SET_FIELD(j, 'tags[-1]', '"c"') WHERE id = 1;
--> 1 modified, all partitions

SELECT j FROM docs WHERE id = 1;
--> j VARCHAR(200)
--> '{"name":"Ann","tags":["a","b","c"],"age":41,"at":{"city":"Oslo"}}'
--> (1 rows, partition p0)

CREATE INDEX by_name ON docs (FIELD(j, 'name'));
--> index created
SELECT id FROM docs WHERE FIELD(j, 'name') = 'Ann';
--> id INTEGER
--> 1
--> (1 rows, partition p0)

-- An index on an expression refuses a row for which it fails.
INSERT INTO docs VALUES (4, '{"name":');
--> error: FIELD: the JSON document is malformed at character 9: it ends where a value should stand [22023]

SELECT id FROM docs WHERE j ->> 'x' = 'y';
--> id INTEGER
--> (0 rows, partition p0)

SELECT FORMAT_CURRENCY(1234567.895, 2), STR(3.14159, 6, 3), STR(123456, 3), HEX(255), BITAND(X'0F', 5), X'FF' + 1;
--> C1 VARCHAR | C2 VARCHAR | C3 VARCHAR | C4 VARCHAR | C5 BIGINT | C6 BIGINT
--> '1,234,567.90' | '3.142' | '***' | 'FF' | 5 | 256
--> (1 rows, partition p0)

SELECT FORMAT_TIMESTAMP(TIMESTAMP '2026-01-01 12:00:00', '-08:00'), TIME_WINDOW(HOUR, 6, TIMESTAMP '2026-01-01 07:30:00', END);
--> C1 VARCHAR | C2 TIMESTAMP
--> '2026-01-01 04:00:00.000000' | 2026-01-01 12:00:00.000000
--> (1 rows, partition p0)

SELECT FORMAT_TIMESTAMP(TIMESTAMP '2026-01-01 12:00:00', 'EST');
--> error: FORMAT_TIMESTAMP: 'EST' is no time zone: write +HH:MM, -HH:MM, or a region such as Europe/Paris [22023]

SELECT TIME_WINDOW(MINUTE, 0, TIMESTAMP '2026-01-01 07:30:00');
--> error: TIME_WINDOW: the number of units must be at least 1 [22003]

SELECT INET_ATON('10.1.2.3'), INET_NTOA(167838211), INET6_NTOA(INET6_ATON('2001:db8::1')), REGEXP_POSITION('Zurich', '[aeiou]+', 'i');
--> C1 BIGINT | C2 VARCHAR | C3 VARCHAR | C4 BIGINT
--> 167838211 | '10.1.2.3' | '2001:db8::1' | 2
--> (1 rows, partition p0)

SELECT REGEXP_POSITION('abc', '(');
--> error: REGEXP_POSITION: '(' is no regular expression: unclosed group [22023]

SELECT CAST(2.75E0 AS VARCHAR), CAST('12.7' AS INTEGER), CAST('1e3' AS BIGINT), ABS(CAST(-5 AS TINYINT)), MOD(7, 2), PI;
--> C1 VARCHAR(2048) | C2 INTEGER | C3 BIGINT | C4 TINYINT | C5 INTEGER | PI FLOAT
--> '2.75E0' | 12 | 1000 | 5 | 1 | 3.141592653589793
--> (1 rows, partition p0)

SELECT ABS(CAST(-128 AS TINYINT));
--> error: value out of range for type TINYINT [22003]

SELECT CAST(TIMESTAMP '2026-01-01 00:00:00' AS BIGINT);
--> LINE 1: SELECT CAST(TIMESTAMP '2026-01-01 00:00:00' AS BIGINT)
-->                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: cannot cast TIMESTAMP to BIGINT: write SINCE_EPOCH(MICROSECOND, ..) or another unit [42000]

SELECT CAST(5 AS TIMESTAMP);
--> LINE 1: SELECT CAST(5 AS TIMESTAMP)
-->                     ^
--> error: cannot cast INTEGER to TIMESTAMP: write TO_TIMESTAMP(MICROSECOND, ..) or another unit [42000]

CREATE TABLE marks (id INTEGER NOT NULL, class VARCHAR(5), points INTEGER, PRIMARY KEY (id));
--> table created
PARTITION TABLE marks ON COLUMN id;
--> table partitioned
INSERT INTO marks VALUES (1, 'a', 2), (2, 'a', 4), (3, 'a', 4), (4, 'a', 4), (5, 'b', 5), (6, 'b', NULL), (7, NULL, 9);
--> 7 modified, all partitions

SELECT class, COUNT(*) AS n, STDDEV_POP(points) AS spread, VARIANCE(points) AS v, APPROX_COUNT_DISTINCT(points) AS d FROM marks GROUP BY class ORDER BY class;
--> class VARCHAR(5) | n BIGINT | spread FLOAT | v FLOAT | d BIGINT
--> NULL | 1 | 0.0 | NULL | 1
--> 'a' | 4 | 0.8660254037844386 | 1.0 | 2
--> 'b' | 2 | 0.0 | NULL | 1
--> (3 rows, all partitions)

SELECT STRING_AGG(class, '-') FILTER (WHERE id < 6) AS s, STRING_AGG(DISTINCT class, '') AS t FROM marks WHERE class = 'a';
--> s VARCHAR | t VARCHAR
--> 'a-a-a-a' | 'a'
--> (1 rows, all partitions)

SELECT COUNT(*) FILTER (WHERE points > 4) AS high, COUNT(*) AS n, SUM(points) FILTER (WHERE class = 'b') AS b, MAX(id) FILTER (WHERE FALSE) AS none FROM marks;
--> high BIGINT | n BIGINT | b BIGINT | none INTEGER
--> 2 | 7 | 5 | NULL
--> (1 rows, all partitions)

SELECT STDDEV(points) AS none FROM marks WHERE id = 1;
--> none FLOAT
--> NULL
--> (1 rows, partition p0 (hash of id))

SELECT APPROX_COUNT_DISTINCT(class) FROM marks;
--> LINE 1: SELECT APPROX_COUNT_DISTINCT(class) FROM marks
-->                                      ^^^^^
--> error: APPROX_COUNT_DISTINCT takes integers, DECIMAL and TIMESTAMP, not VARCHAR [42000]

SELECT STRING_AGG(class) FROM marks;
--> LINE 1: SELECT STRING_AGG(class) FROM marks
-->                ^^^^^^^^^^^^^^^^^
--> error: STRING_AGG takes 2 arguments, not 1: values and a separator [42000]

SELECT STRING_AGG(class, class) FROM marks;
--> LINE 1: SELECT STRING_AGG(class, class) FROM marks
-->                                  ^^^^^
--> error: the separator of STRING_AGG must be a text in quotes [42000]

SELECT ABS(points) FILTER (WHERE id = 1) FROM marks;
--> LINE 1: SELECT ABS(points) FILTER (WHERE id = 1) FROM marks
-->                ^^^^^^^^^^^
--> error: FILTER stands after aggregate functions only [42601]

SELECT VAR_POP(class) FROM marks;
--> LINE 1: SELECT VAR_POP(class) FROM marks
-->                        ^^^^^
--> error: VAR_POP needs a number, not VARCHAR [42000]
