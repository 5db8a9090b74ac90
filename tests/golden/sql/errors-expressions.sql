-- Wrong expressions: each error says what is wrong, and where that is known, where.

CREATE TABLE t (id INTEGER NOT NULL, a TINYINT, s VARCHAR(5), b VARBINARY(4), ts TIMESTAMP, PRIMARY KEY (id));
--> table created
INSERT INTO t VALUES (1, 100, 'abc', X'0A', '2024-01-01 00:00:00');
--> 1 modified, all partitions

SELECT LENGHT(s) FROM t;
--> LINE 1: SELECT LENGHT(s) FROM t
-->                ^^^^^^^^^
--> error: no function LENGHT; did you mean LENGTH? [42000]

SELECT SUBSTRING(s) FROM t;
--> C1
--> 'abc'
--> (1 rows, partition p0)

SELECT ts > 5 FROM t;
--> LINE 1: SELECT ts > 5 FROM t
-->                ^^^^^^
--> error: cannot compare TIMESTAMP with INTEGER [42000]

SELECT b = '0A' FROM t;
--> LINE 1: SELECT b = '0A' FROM t
-->                ^^^^^^^^
--> error: cannot compare VARBINARY with VARCHAR [42000]

SELECT -ts FROM t;
--> LINE 1: SELECT -ts FROM t
-->                 ^^
--> error: - needs a number, not TIMESTAMP [42000]

SELECT EXTRACT(FORTNIGHT FROM ts) FROM t;
--> LINE 1: SELECT EXTRACT(FORTNIGHT FROM ts) FROM t
-->                                       ^^
--> error: EXTRACT knows no field FORTNIGHT [42000]

SELECT DATEADD(WEEK, 1, ts) FROM t;
--> error: DATEADD: 'WEEK' is no unit it takes [22023]

SELECT s * 2 FROM t;
--> LINE 1: SELECT s * 2 FROM t
-->                ^
--> error: * needs a number, not VARCHAR: write CAST(.. AS BIGINT) [42000]

SELECT CAST(s AS INTEGER) FROM t;
--> error: cannot read 'abc' as INTEGER [22018]

SELECT CAST(a * 2 AS TINYINT) FROM t;
--> error: value out of range for type TINYINT [22003]

SELECT CAST('2024-02-30' AS TIMESTAMP);
--> LINE 1: SELECT CAST('2024-02-30' AS TIMESTAMP)
-->                     ^^^^^^^^^^^^
--> error: cannot read '2024-02-30' as TIMESTAMP [22018]

SELECT REPEAT(s, -1) FROM t;
--> error: REPEAT: the count must not be negative [22026]

SELECT SQRT(-1.0);
--> error: value out of range for type FLOAT [22003]

SELECT STR(1.5, 0);
--> error: STR: the width must be from 1 to 37 [22003]

SELECT FIELD('{"a":1}', 'a[');
--> error: FIELD: the path 'a[' has a [ without its ] [22023]

SELECT ARRAY_LENGTH('[1,');
--> error: ARRAY_LENGTH: the JSON document is malformed at character 4: it ends where a value should stand [22023]

SELECT INET_ATON('300.1.1.1');
--> error: INET_ATON: '300.1.1.1' is no such address [22023]

SELECT SUM(SUM(a)) FROM t;
--> LINE 1: SELECT SUM(SUM(a)) FROM t
-->                    ^^^^^^
--> error: aggregate function SUM can't stand inside another [42000]

SELECT DECODE(a, 1) FROM t;
--> LINE 1: SELECT DECODE(a, 1) FROM t
-->                ^^^^^^^^^^^^
--> error: DECODE takes at least 3 arguments: a value, what it may be, the result then [42000]
