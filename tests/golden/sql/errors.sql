--: timeout 0.2
CREATE TABLE contestants (contestant_number INTEGER NOT NULL PRIMARY KEY, contestant_name VARCHAR(5) NOT NULL, total SMALLINT);
--> table created
CREATE TABLE votes (phone BIGINT NOT NULL, n INTEGER);
--> table created
PARTITION TABLE votes ON COLUMN phone;
--> table partitioned
INSERT INTO contestants VALUES (1, 'one', 1);
--> 1 modified, all partitions
-- Names.
SELECT * FROM contestant;
--> LINE 1: SELECT * FROM contestant
-->                       ^^^^^^^^^^
--> error: no table or view contestant; did you mean contestants? [42000]
SELECT contestant_nam FROM contestants;
--> LINE 1: SELECT contestant_nam FROM contestants
-->                ^^^^^^^^^^^^^^
--> error: no column contestant_nam in contestants; did you mean contestant_name? [42000]
SELECT c.nothing FROM contestants AS c;
--> LINE 1: SELECT c.nothing FROM contestants AS c
-->                  ^^^^^^^
--> error: no column nothing in c [42000]
SELECT x.total FROM contestants AS c;
--> LINE 1: SELECT x.total FROM contestants AS c
-->                ^^^^^^^
--> error: no table x in FROM [42000]
SELECT total FROM contestants AS a, contestants AS b;
--> LINE 1: SELECT total FROM contestants AS a, contestants AS b
-->                ^^^^^
--> error: column total is ambiguous: it is in a and b; write a.total or b.total [42000]
SELECT lenght('a');
--> LINE 1: SELECT lenght('a')
-->                ^^^^^^^^^^^
--> error: no function LENGHT; did you mean LENGTH? [42000]
INSERT INTO contestants (contestant_numbr) VALUES (1);
--> LINE 1: INSERT INTO contestants (contestant_numbr) VALUES (1)
-->                                  ^^^^^^^^^^^^^^^^
--> error: no column contestant_numbr in contestants; did you mean contestant_number? [42000]
EXEC Vots 1;
--> LINE 1: EXEC Vots 1
-->              ^^^^
--> error: no procedure Vots [42883]
-- Syntax.
SELEC 1;
--> LINE 1: SELEC 1
-->         ^^^^^
--> error: no statement starts with SELEC; did you mean SELECT? [42601]
SELECT FROM contestants;
--> LINE 1: SELECT FROM contestants
-->                ^^^^
--> error: expected an expression, found FROM [42601]
SELECT * FROM contestants WHERE;
--> LINE 1: SELECT * FROM contestants WHERE
-->                                        ^
--> error: expected an expression, found the end of the statement [42601]
SELECT * FORM contestants;
--> LINE 1: SELECT * FORM contestants
-->                  ^^^^
--> error: expected the end of the statement, found FORM; did you mean FROM instead of FORM? [42601]
SELECT (1 + 2;
--> LINE 1: SELECT (1 + 2
-->                      ^
--> error: expected ), found the end of the statement [42601]
INSERT INTO contestants;
--> LINE 1: INSERT INTO contestants
-->                                ^
--> error: expected VALUES, a query or DEFAULT VALUES, found the end of the statement [42601]
UPDATE contestants WHERE total = 1;
--> LINE 1: UPDATE contestants WHERE total = 1
-->                            ^^^^^
--> error: expected SET, found WHERE [42601]
DROP contestants;
--> LINE 1: DROP contestants
-->              ^^^^^^^^^^^
--> error: expected TABLE, VIEW, INDEX or PROCEDURE after DROP, found contestants [42601]
CREATE;
--> LINE 1: CREATE
-->               ^
--> error: expected TABLE, VIEW, INDEX, UNIQUE INDEX or PROCEDURE after CREATE, found the end of the statement [42601]
DANCE 1;
--> LINE 1: DANCE 1
-->         ^^^^^
--> error: no statement starts with DANCE [42601]
ALTER TABLE contestants CHANGE x INTEGER;
--> LINE 1: ALTER TABLE contestants CHANGE x INTEGER
-->                                 ^^^^^^
--> error: expected ADD, DROP, ALTER or RENAME, found CHANGE [42601]
BEGIN TRANSACTION;
--> LINE 1: BEGIN TRANSACTION
-->         ^^^^^
--> error: no statement starts with BEGIN [42601]
-- Values.
INSERT INTO contestants VALUES (2, 'sixsix', 1);
--> LINE 1: INSERT INTO contestants VALUES (2, 'sixsix', 1)
-->                                            ^^^^^^^^
--> error: column contestant_name: value of length 6 is too long for VARCHAR(5) [22026]
INSERT INTO contestants VALUES (2, NULL, 1);
--> LINE 1: INSERT INTO contestants VALUES (2, NULL, 1)
-->                                            ^^^^
--> error: column contestant_name of contestants is NOT NULL [23000]
INSERT INTO contestants (contestant_number) VALUES (2);
--> LINE 1: INSERT INTO contestants (contestant_number) VALUES (2)
-->                     ^^^^^^^^^^^
--> error: column contestant_name of contestants is NOT NULL and has no default: give it a value [23000]
INSERT INTO contestants VALUES (1, 'again', 1);
--> error: duplicate key in contestants: pk_contestants already has contestant_number = 1 [23000]
INSERT INTO contestants VALUES (2, 'two', 40000);
--> LINE 1: INSERT INTO contestants VALUES (2, 'two', 40000)
-->                                                   ^^^^^
--> error: column total: value out of range for type SMALLINT [22003]
INSERT INTO contestants VALUES ('two', 'two', 1);
--> LINE 1: INSERT INTO contestants VALUES ('two', 'two', 1)
-->                                         ^^^^^
--> error: column contestant_number: cannot read 'two' as INTEGER [22018]
INSERT INTO contestants VALUES (2, 2, 1);
--> 1 modified, all partitions
INSERT INTO votes VALUES (NULL, 1);
--> LINE 1: INSERT INTO votes VALUES (NULL, 1)
-->                                   ^^^^
--> error: column phone of votes is NOT NULL [23000]
UPDATE contestants SET total = total + 32767;
--> error: value out of range for type SMALLINT [22003]
UPDATE contestants SET contestant_name = contestant_name || contestant_name;
--> error: value of length 6 is too long for VARCHAR(5) [22026]
UPDATE contestants SET contestant_name = NULL;
--> LINE 1: UPDATE contestants SET contestant_name = NULL
-->                                                  ^^^^
--> error: column contestant_name of contestants is NOT NULL [23000]
SELECT total / 0 FROM contestants;
--> error: division by zero [22012]
SELECT total / (total - 1) FROM contestants;
--> error: division by zero [22012]
SELECT 9223372036854775807 * 2;
--> error: value out of range for type BIGINT [22003]
SELECT SUM(x) FROM (VALUES (9223372036854775807), (1)) AS t (x);
--> error: value out of range for type BIGINT [22003]
SELECT * FROM contestants;
--> contestant_number | contestant_name | total
--> 1 | 'one' | 1
--> 2 | '2' | 1
--> (2 rows, partition p0)
-- Types.
SELECT 1 + 'a';
--> LINE 1: SELECT 1 + 'a'
-->                    ^^^
--> error: cannot read 'a' as DECIMAL [22018]
SELECT 1 WHERE 1;
--> LINE 1: SELECT 1 WHERE 1
-->                        ^
--> error: WHERE needs a condition, not a value of type INTEGER [42000]
SELECT * FROM contestants WHERE contestant_name = 1;
--> LINE 1: SELECT * FROM contestants WHERE contestant_name = 1
-->                                         ^^^^^^^^^^^^^^^^^^^
--> error: cannot compare VARCHAR with INTEGER [42000]
SELECT * FROM contestants WHERE contestant_name AND TRUE;
--> LINE 1: SELECT * FROM contestants WHERE contestant_name AND TRUE
-->                                         ^^^^^^^^^^^^^^^
--> error: WHERE needs a condition, not a value of type VARCHAR [42000]
SELECT NOT 1;
--> LINE 1: SELECT NOT 1
-->                    ^
--> error: NOT needs a condition, not a value of type INTEGER [42000]
SELECT SUM(contestant_name) FROM contestants;
--> LINE 1: SELECT SUM(contestant_name) FROM contestants
-->                    ^^^^^^^^^^^^^^^
--> error: SUM needs a number, not VARCHAR [42000]
SELECT -contestant_name FROM contestants;
--> LINE 1: SELECT -contestant_name FROM contestants
-->                 ^^^^^^^^^^^^^^^
--> error: - needs a number, not VARCHAR: write CAST(.. AS BIGINT) [42000]
-- The error is in the second line.
SELECT contestant_number,
       nothing
  FROM contestants;
--> LINE 2:        nothing
-->                ^^^^^^^
--> error: no column nothing in contestants [42000]
-- Loops that never end are ended.
CREATE PROCEDURE forever () AS BEGIN INSERT INTO contestants VALUES (77, 'x', 1); WHILE TRUE DO SET @x = 1; END WHILE; END;
--> LINE 1: CREATE PROCEDURE forever () AS BEGIN INSERT INTO contestants VALUES (77, 'x', 1); WHILE TRUE DO SET @x = 1; END WHILE; END
-->                                                                                                             ^^
--> error: no variable or parameter @x [42000]
CREATE PROCEDURE forever () AS BEGIN DECLARE x INTEGER; INSERT INTO contestants VALUES (77, 'x', 1); WHILE TRUE DO SET x = 1; END WHILE; END;
--> procedure created
EXEC forever;
--> error: stopped after 200 ms, the time limit (forever, line 1) [57014]
CREATE PROCEDURE forever_one (k BIGINT) PARTITION ON TABLE votes COLUMN phone AS BEGIN INSERT INTO votes VALUES (k, 1); LOOP BEGIN END; END LOOP; END;
--> procedure created
EXEC forever_one 1;
--> error: stopped after 200 ms, the time limit (forever_one, line 1) [57014]
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT COUNT(*) FROM t;
--> error: stopped after 200 ms, the time limit [57014]
SELECT * FROM contestants;
--> contestant_number | contestant_name | total
--> 1 | 'one' | 1
--> 2 | '2' | 1
--> (2 rows, partition p0)
SELECT * FROM votes;
--> phone | n
--> (0 rows, all partitions)
