--: types
-- Ranges of the integers: every value of the machine type, the smallest too.
CREATE TABLE ints (id INTEGER NOT NULL PRIMARY KEY, t TINYINT, s SMALLINT, i INTEGER, b BIGINT);
--> table created
INSERT INTO ints VALUES (1, 127, 32767, 2147483647, 9223372036854775807);
--> 1 modified, all partitions
INSERT INTO ints VALUES (2, -128, -32768, -2147483648, -9223372036854775808);
--> 1 modified, all partitions
INSERT INTO ints VALUES (3, NULL, NULL, NULL, NULL);
--> 1 modified, all partitions
INSERT INTO ints VALUES (4, 128, 0, 0, 0);
--> LINE 1: INSERT INTO ints VALUES (4, 128, 0, 0, 0)
-->                                     ^^^
--> error: column t: value out of range for type TINYINT [22003]
INSERT INTO ints VALUES (4, 0, -32769, 0, 0);
--> LINE 1: INSERT INTO ints VALUES (4, 0, -32769, 0, 0)
-->                                        ^^^^^^
--> error: column s: value out of range for type SMALLINT [22003]
INSERT INTO ints VALUES (4, 0, 0, 2147483648, 0);
--> LINE 1: INSERT INTO ints VALUES (4, 0, 0, 2147483648, 0)
-->                                           ^^^^^^^^^^
--> error: column i: value out of range for type INTEGER [22003]
INSERT INTO ints VALUES (4, 0, 0, 3.9, 0);
--> LINE 1: INSERT INTO ints VALUES (4, 0, 0, 3.9, 0)
-->                                           ^^^
--> error: column i is INTEGER, and takes no constant of type DECIMAL: CAST(.. AS INTEGER) drops the fraction [42000]
INSERT INTO ints VALUES (4, 0, 0, 0, 9223372036854775808);
--> LINE 1: INSERT INTO ints VALUES (4, 0, 0, 0, 9223372036854775808)
-->                                              ^^^^^^^^^^^^^^^^^^^
--> error: column b: value out of range for type BIGINT [22003]
SELECT * FROM ints ORDER BY id;
--> id INTEGER | t TINYINT | s SMALLINT | i INTEGER | b BIGINT
--> 1 | 127 | 32767 | 2147483647 | 9223372036854775807
--> 2 | -128 | -32768 | -2147483648 | -9223372036854775808
--> 3 | NULL | NULL | NULL | NULL
--> (3 rows, partition p0)
SELECT id FROM ints WHERE t = -128 AND s = -32768 AND i = -2147483648 AND b = -9223372036854775808;
--> id INTEGER
--> 2
--> (1 rows, partition p0)
SELECT id FROM ints WHERE t IS NULL;
--> id INTEGER
--> 3
--> (1 rows, partition p0)
SELECT id FROM ints WHERE t > 128;
--> id INTEGER
--> (0 rows, partition p0)
SELECT id FROM ints WHERE t <= 1000 ORDER BY id;
--> id INTEGER
--> 1
--> 2
--> (2 rows, partition p0)
UPDATE ints SET t = t + 1 WHERE id = 1;
--> error: value out of range for type TINYINT [22003]
UPDATE ints SET b = b - 1 WHERE id = 2;
--> error: value out of range for type BIGINT [22003]
SELECT t + s, b / 2, i * 2 FROM ints WHERE id = 1;
--> C1 BIGINT | C2 BIGINT | C3 BIGINT
--> 32894 | 4611686018427387903 | 4294967294
--> (1 rows, partition p0)

-- Integer arithmetic is BIGINT, division truncates toward zero.
SELECT 7 / 2, -7 / 2, 7 % 3, -7 % 3, MOD(-7, 3), 2 + 3 * 4, -(-5);
--> C1 INTEGER | C2 INTEGER | C3 INTEGER | C4 INTEGER | C5 INTEGER | C6 INTEGER | C7 INTEGER
--> 3 | -3 | 1 | -1 | -1 | 14 | 5
--> (1 rows, partition p0)
SELECT 9223372036854775807 + 1;
--> error: value out of range for type BIGINT [22003]
SELECT -9223372036854775808 / -1;
--> error: value out of range for type BIGINT [22003]
SELECT 1 / 0;
--> error: division by zero [22012]
SELECT 1 % 0;
--> error: division by zero [22012]

-- Decimals have 12 places, and round half up as they are stored.
CREATE TABLE decimals (id INTEGER NOT NULL PRIMARY KEY, d DECIMAL);
--> table created
INSERT INTO decimals VALUES (1, 1.5), (2, -0.0000000000005), (3, 0.0000000000005), (4, 99999999999999999999999999.999999999999);
--> 4 modified, all partitions
INSERT INTO decimals VALUES (5, 100000000000000000000000000);
--> LINE 1: INSERT INTO decimals VALUES (5, 100000000000000000000000000)
-->                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: 100000000000000000000000000 is out of range: DECIMAL has at most 26 digits before the point [42601]
INSERT INTO decimals VALUES (6, '12.25');
--> 1 modified, all partitions
INSERT INTO decimals VALUES (7, 'twelve');
--> LINE 1: INSERT INTO decimals VALUES (7, 'twelve')
-->                                         ^^^^^^^^
--> error: column d: cannot read 'twelve' as DECIMAL [22018]
SELECT * FROM decimals ORDER BY id;
--> id INTEGER | d DECIMAL
--> 1 | 1.500000000000
--> 2 | -0.000000000001
--> 3 | 0.000000000001
--> 4 | 99999999999999999999999999.999999999999
--> 6 | 12.250000000000
--> (5 rows, partition p0)
SELECT d + 1, d * d, d / 3, -d FROM decimals WHERE id = 1;
--> C1 DECIMAL | C2 DECIMAL | C3 DECIMAL | C4 DECIMAL
--> 2.500000000000 | 2.250000000000 | 0.500000000000 | -1.500000000000
--> (1 rows, partition p0)
SELECT d + d FROM decimals WHERE id = 4;
--> error: value out of range for type DECIMAL [22003]
SELECT 1.0 / 0;
--> error: division by zero [22012]
SELECT 0.1 + 0.2, 1.10 = 1.1, 1 = 1.0, 0.1 + 0.2 = 0.3;
--> C1 DECIMAL | C2 BOOLEAN | C3 BOOLEAN | C4 BOOLEAN
--> 0.300000000000 | true | true | true
--> (1 rows, partition p0)
SELECT SUM(d), MIN(d), MAX(d) FROM decimals WHERE id <> 4;
--> C1 DECIMAL | C2 DECIMAL | C3 DECIMAL
--> 13.750000000000 | -0.000000000001 | 12.250000000000
--> (1 rows, partition p0)

-- Floats.
CREATE TABLE floats (id INTEGER NOT NULL PRIMARY KEY, f FLOAT);
--> table created
INSERT INTO floats VALUES (1, 1.5), (2, 1E300), (3, -0.0E0), (4, '2.5'), (5, 7);
--> 5 modified, all partitions
SELECT * FROM floats ORDER BY id;
--> id INTEGER | f FLOAT
--> 1 | 1.5
--> 2 | 1E300
--> 3 | 0.0
--> 4 | 2.5
--> 5 | 7.0
--> (5 rows, partition p0)
SELECT f * f FROM floats WHERE id = 2;
--> error: value out of range for type FLOAT [22003]
SELECT f / 0 FROM floats WHERE id = 1;
--> error: division by zero [22012]
SELECT id FROM floats WHERE f = 0;
--> id INTEGER
--> 3
--> (1 rows, partition p0)
SELECT 1.5E0 + 1, 1E0 = 1, CAST(1.9E0 AS INTEGER), CAST(-1.9 AS BIGINT), CAST(2.5 AS FLOAT);
--> C1 FLOAT | C2 BOOLEAN | C3 INTEGER | C4 BIGINT | C5 FLOAT
--> 2.5 | true | 1 | -1 | 2.5
--> (1 rows, partition p0)

-- Texts: length in characters, or in bytes; nothing is padded or cut.
CREATE TABLE texts (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(3), w VARCHAR(4 BYTES), l VARCHAR(100));
--> table created
INSERT INTO texts VALUES (1, 'abc', 'abcd', 'It''s long enough not to lie in the row itself'), (2, 'äöü', 'äö', ''), (3, '', '', NULL);
--> 3 modified, all partitions
INSERT INTO texts VALUES (4, 'abcd', '', '');
--> LINE 1: INSERT INTO texts VALUES (4, 'abcd', '', '')
-->                                      ^^^^^^
--> error: column v: value of length 4 is too long for VARCHAR(3) [22026]
INSERT INTO texts VALUES (4, '', 'äöü', '');
--> LINE 1: INSERT INTO texts VALUES (4, '', 'äöü', '')
-->                                          ^^^^^
--> error: column w: value of length 6 is too long for VARCHAR(4 BYTES) [22026]
SELECT * FROM texts ORDER BY id;
--> id INTEGER | v VARCHAR(3) | w VARCHAR(4 BYTES) | l VARCHAR(100)
--> 1 | 'abc' | 'abcd' | 'It's long enough not to lie in the row itself'
--> 2 | 'äöü' | 'äö' | ''
--> 3 | '' | '' | NULL
--> (3 rows, partition p0)
SELECT id, CHAR_LENGTH(v), OCTET_LENGTH(v), UPPER(l) FROM texts ORDER BY id;
--> id INTEGER | C2 BIGINT | C3 BIGINT | C4 VARCHAR
--> 1 | 3 | 3 | 'IT'S LONG ENOUGH NOT TO LIE IN THE ROW ITSELF'
--> 2 | 3 | 6 | ''
--> 3 | 0 | 0 | NULL
--> (3 rows, partition p0)
SELECT 'a' = 'a ', 'a' < 'B', '' IS NULL, 'é' > 'z', 'a' || 'b' || NULL, 'a' || 'b';
--> C1 BOOLEAN | C2 BOOLEAN | C3 BOOLEAN | C4 BOOLEAN | C5 VARCHAR | C6 VARCHAR
--> false | false | false | true | NULL | 'ab'
--> (1 rows, partition p0)
SELECT id FROM texts WHERE v = 5;
--> LINE 1: SELECT id FROM texts WHERE v = 5
-->                                    ^^^^^
--> error: cannot compare VARCHAR with INTEGER [42000]
SELECT id FROM texts WHERE id = '2';
--> id INTEGER
--> 2
--> (1 rows, partition p0)
SELECT id FROM texts WHERE id = 'two';
--> LINE 1: SELECT id FROM texts WHERE id = 'two'
-->                                         ^^^^^
--> error: cannot read 'two' as BIGINT [22018]

-- Bytes.
CREATE TABLE bytes (id INTEGER NOT NULL PRIMARY KEY, b VARBINARY(4));
--> table created
INSERT INTO bytes VALUES (1, X'00FF'), (2, X''), (3, NULL), (4, 'deadbeef');
--> 4 modified, all partitions
INSERT INTO bytes VALUES (5, X'0102030405');
--> LINE 1: INSERT INTO bytes VALUES (5, X'0102030405')
-->                                      ^^^^^^^^^^^^^
--> error: column b: value of length 5 is too long for VARBINARY(4) [22026]
INSERT INTO bytes VALUES (5, 'xyz');
--> LINE 1: INSERT INTO bytes VALUES (5, 'xyz')
-->                                      ^^^^^
--> error: column b: cannot read 'xyz' as VARBINARY(4) [22018]
SELECT * FROM bytes ORDER BY b, id;
--> id INTEGER | b VARBINARY(4)
--> 3 | NULL
--> 2 | X''
--> 1 | X'00FF'
--> 4 | X'DEADBEEF'
--> (4 rows, partition p0)
SELECT id FROM bytes WHERE b = X'00ff';
--> id INTEGER
--> 1
--> (1 rows, partition p0)
SELECT X'123';
--> LINE 1: SELECT X'123'
-->                ^^^^^^
--> error: a hex literal needs an even number of digits, two for each byte [42601]

-- Times, in UTC, to the microsecond.
CREATE TABLE times (id INTEGER NOT NULL PRIMARY KEY, t TIMESTAMP DEFAULT NOW);
--> table created
INSERT INTO times VALUES (1, '2024-02-29'), (2, '2024-02-29 23:59:59'), (3, '1969-12-31 23:59:59.5'), (4, TIMESTAMP '2000-01-01 00:00:00.000001'), (5, 0);
--> 5 modified, all partitions
INSERT INTO times (id) VALUES (6);
--> 1 modified, all partitions
INSERT INTO times VALUES (7, '2023-02-29');
--> LINE 1: INSERT INTO times VALUES (7, '2023-02-29')
-->                                      ^^^^^^^^^^^^
--> error: column t: cannot read '2023-02-29' as TIMESTAMP [22018]
INSERT INTO times VALUES (7, '2023-02-28 25:00:00');
--> LINE 1: INSERT INTO times VALUES (7, '2023-02-28 25:00:00')
-->                                      ^^^^^^^^^^^^^^^^^^^^^
--> error: column t: cannot read '2023-02-28 25:00:00' as TIMESTAMP [22018]
INSERT INTO times VALUES (7, 'soon');
--> LINE 1: INSERT INTO times VALUES (7, 'soon')
-->                                      ^^^^^^
--> error: column t: cannot read 'soon' as TIMESTAMP [22018]
SELECT id, t FROM times WHERE id < 6 ORDER BY t;
--> id INTEGER | t TIMESTAMP
--> 3 | 1969-12-31 23:59:59.500000
--> 5 | 1970-01-01 00:00:00.000000
--> 4 | 2000-01-01 00:00:00.000001
--> 1 | 2024-02-29 00:00:00.000000
--> 2 | 2024-02-29 23:59:59.000000
--> (5 rows, partition p0)
SELECT t > TIMESTAMP '2024-01-01 00:00:00' FROM times WHERE id = 6;
--> C1 BOOLEAN
--> true
--> (1 rows, partition p0)
SELECT EXTRACT(YEAR FROM t), EXTRACT(DAY FROM t), EXTRACT(HOUR FROM t), DAYOFWEEK(t) FROM times WHERE id = 2;
--> C1 INTEGER | C2 INTEGER | C3 INTEGER | C4 INTEGER
--> 2024 | 29 | 23 | 5
--> (1 rows, partition p0)
SELECT DATEADD(MONTH, 1, TIMESTAMP '2024-01-31 10:00:00'), DATEADD(DAY, -1, TIMESTAMP '2024-03-01 00:00:00');
--> C1 TIMESTAMP | C2 TIMESTAMP
--> 2024-02-29 10:00:00.000000 | 2024-02-29 00:00:00.000000
--> (1 rows, partition p0)
SELECT DATEDIFF(DAY, TIMESTAMP '2024-02-28 23:00:00', TIMESTAMP '2024-03-01 01:00:00'), TRUNCATE(MONTH, TIMESTAMP '2024-02-29 12:34:56');
--> C1 BIGINT | C2 TIMESTAMP
--> 2 | 2024-02-01 00:00:00.000000
--> (1 rows, partition p0)
SELECT SINCE_EPOCH(SECOND, TIMESTAMP '1970-01-02 00:00:00'), TO_TIMESTAMP(SECOND, 86400);
--> C1 BIGINT | C2 TIMESTAMP
--> 86400 | 1970-01-02 00:00:00.000000
--> (1 rows, partition p0)
SELECT id FROM times WHERE t = '2024-02-29';
--> id INTEGER
--> 1
--> (1 rows, partition p0)

-- Truth values can be stored.
CREATE TABLE truths (id INTEGER NOT NULL PRIMARY KEY, b BOOLEAN);
--> table created
INSERT INTO truths VALUES (1, TRUE), (2, FALSE), (3, NULL), (4, 1 < 2);
--> 4 modified, all partitions
SELECT id FROM truths WHERE b ORDER BY id;
--> id INTEGER
--> 1
--> 4
--> (2 rows, partition p0)
SELECT id FROM truths WHERE NOT b ORDER BY id;
--> id INTEGER
--> 2
--> (1 rows, partition p0)
SELECT id, b AND NULL, b OR NULL, b IS TRUE, b IS NOT FALSE, b IS UNKNOWN FROM truths ORDER BY id;
--> id INTEGER | C2 BOOLEAN | C3 BOOLEAN | C4 BOOLEAN | C5 BOOLEAN | C6 BOOLEAN
--> 1 | NULL | true | true | true | false
--> 2 | false | NULL | false | false | false
--> 3 | NULL | NULL | false | true | true
--> 4 | NULL | true | true | true | false
--> (4 rows, partition p0)
SELECT id FROM truths WHERE b = FALSE;
--> id INTEGER
--> 2
--> (1 rows, partition p0)
INSERT INTO truths VALUES (5, 'maybe');
--> LINE 1: INSERT INTO truths VALUES (5, 'maybe')
-->                                       ^^^^^^^
--> error: column b: cannot read 'maybe' as BOOLEAN [22018]

-- NULL in comparisons and arithmetic gives NULL; IS DISTINCT FROM doesn't.
SELECT NULL = NULL, NULL <> 1, NULL + 1, NOT (NULL = 1), NULL IS NULL, 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL;
--> C1 BOOLEAN | C2 BOOLEAN | C3 BIGINT | C4 BOOLEAN | C5 BOOLEAN | C6 BOOLEAN | C7 BOOLEAN
--> NULL | NULL | NULL | NULL | true | true | true
--> (1 rows, partition p0)
SELECT NULL AND FALSE, NULL OR TRUE, NULL AND TRUE, NULL OR FALSE;
--> C1 BOOLEAN | C2 BOOLEAN | C3 BOOLEAN | C4 BOOLEAN
--> false | true | NULL | NULL
--> (1 rows, partition p0)
SELECT COALESCE(NULL, NULL, 3), NULLIF(1, 1), NULLIF(1, 2), CASE WHEN NULL THEN 1 ELSE 2 END;
--> C1 INTEGER | C2 INTEGER | C3 INTEGER | C4 INTEGER
--> 3 | NULL | 1 | 2
--> (1 rows, partition p0)

-- CAST.
SELECT CAST('12' AS INTEGER), CAST(12 AS VARCHAR), CAST(1.5 AS VARCHAR), CAST('1.5' AS DECIMAL), CAST(300 AS SMALLINT);
--> C1 INTEGER | C2 VARCHAR(2048) | C3 VARCHAR(2048) | C4 DECIMAL | C5 SMALLINT
--> 12 | '12' | '1.500000000000' | 1.500000000000 | 300
--> (1 rows, partition p0)
SELECT CAST(300 AS TINYINT);
--> LINE 1: SELECT CAST(300 AS TINYINT)
-->                     ^^^
--> error: value out of range for type TINYINT [22003]
SELECT CAST('twelve' AS INTEGER);
--> LINE 1: SELECT CAST('twelve' AS INTEGER)
-->                     ^^^^^^^^
--> error: cannot read 'twelve' as INTEGER [22018]
SELECT CAST(TIMESTAMP '2024-01-02 03:04:05' AS VARCHAR), CAST('2024-01-02' AS TIMESTAMP);
--> C1 VARCHAR(2048) | C2 TIMESTAMP
--> '2024-01-02 03:04:05.000000' | 2024-01-02 00:00:00.000000
--> (1 rows, partition p0)
SELECT CAST('abcdef' AS VARCHAR(3));
--> LINE 1: SELECT CAST('abcdef' AS VARCHAR(3))
-->                     ^^^^^^^^
--> error: value of length 6 is too long for VARCHAR(3) [22026]

-- Values given for placeholders are converted to what the statement needs.
--: values 1
SELECT t FROM ints WHERE id = ?;
--> t TINYINT
--> 127
--> (1 rows, partition p0)
--: values '1'
SELECT t FROM ints WHERE id = ?;
--> t TINYINT
--> 127
--> (1 rows, partition p0)
--: values 1.0
SELECT t FROM ints WHERE id = ?;
--> t TINYINT
--> 127
--> (1 rows, partition p0)
--: values 1.5
SELECT t FROM ints WHERE id = ?;
--> error: parameter 1: value 1.500000000000 of type DECIMAL is not a match or out of range for type BIGINT [22018]
--: values NULL
SELECT t FROM ints WHERE id = ?;
--> t TINYINT
--> (0 rows, partition p0)
--: values 9, 128
INSERT INTO ints (id, t) VALUES (?, ?);
--> error: parameter 2: value 128 of type BIGINT is not a match or out of range for type TINYINT [22003]
--: values 1, 2
SELECT t FROM ints WHERE id = ?;
--> error: the statement has 1 parameters, 2 values were given [07001]
SELECT t FROM ints WHERE id = ?;
--> error: the statement has 1 parameters, 0 values were given [07001]

-- TEXT takes a string of any length, and a table several of them.
CREATE TABLE notes (id INTEGER NOT NULL PRIMARY KEY, a TEXT, b TEXT, c TEXT);
--> table created
INSERT INTO notes VALUES (1, 'one', REPEAT('x', 5000), NULL);
--> 1 modified, all partitions
SELECT id, a, CHAR_LENGTH(b), c FROM notes;
--> id INTEGER | a VARCHAR | C3 BIGINT | c VARCHAR
--> 1 | 'one' | 5000 | NULL
--> (1 rows, partition p0)
