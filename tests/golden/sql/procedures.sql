CREATE TABLE p (id INTEGER NOT NULL PRIMARY KEY, n INTEGER, name VARCHAR(10));
--> table created
PARTITION TABLE p ON COLUMN id;
--> table partitioned
CREATE TABLE r (id INTEGER NOT NULL PRIMARY KEY, n INTEGER);
--> table created
INSERT INTO r VALUES (1, 10), (2, 20), (3, 30);
--> 3 modified, all partitions
-- VoltDB's own forms.
CREATE PROCEDURE one_statement AS SELECT id, n FROM r WHERE id = ?;
--> procedure created
EXEC one_statement 2;
--> id | n
--> 2 | 20
--> (1 rows, all partitions)
CREATE PROCEDURE add_p PARTITION ON TABLE p COLUMN id AS INSERT INTO p VALUES (?, ?, ?);
--> procedure created
EXEC add_p 1 100 'one';
--> modified_tuples
--> 1
--> (1 rows, partition p0 (hash of param0))
EXEC add_p 1 100 'one';
--> error: duplicate key in p: pk_p already has id = 1 (add_p, line 1) [23000]
CREATE PROCEDURE several PARTITION ON TABLE p COLUMN id PARAMETER 1 AS BEGIN UPDATE p SET n = ? WHERE id = ?; SELECT n FROM r WHERE id = ?; END;
--> procedure created
EXEC several 7 1 2;
--> modified_tuples
--> 1
--> (1 rows, partition p0 (hash of param1))
--> n
--> 20
--> (1 rows, partition p0 (hash of param1))
-- Variables, IF, WHILE, RETURN.
CREATE PROCEDURE factorial (n INTEGER) RETURNS BIGINT AS BEGIN
  DECLARE i INTEGER DEFAULT 1;
  DECLARE product BIGINT DEFAULT 1;
  IF n < 0 THEN
    RETURN -1;
  ELSEIF n = 0 THEN
    RETURN 1;
  ELSE
    WHILE i <= n DO
      SET product = product * i;
      SET i = i + 1;
    END WHILE;
  END IF;
  RETURN product;
END;
--> procedure created
EXEC factorial 5;
--> factorial
--> 120
--> (1 rows, all partitions)
EXEC factorial 0;
--> factorial
--> 1
--> (1 rows, all partitions)
EXEC factorial -3;
--> factorial
--> -1
--> (1 rows, all partitions)
EXEC factorial 20;
--> factorial
--> 2432902008176640000
--> (1 rows, all partitions)
EXEC factorial 21;
--> error: value out of range for type BIGINT (factorial, line 10) [22003]
EXEC factorial NULL;
--> factorial
--> 1
--> (1 rows, all partitions)
-- LOOP, LEAVE, ITERATE, labels, nested blocks.
CREATE PROCEDURE odd_sum (upto INTEGER) RETURNS BIGINT AS BEGIN
  DECLARE i INTEGER DEFAULT 0;
  DECLARE total BIGINT DEFAULT 0;
  outer_loop: LOOP
    SET i = i + 1;
    IF i > upto THEN LEAVE outer_loop; END IF;
    IF i % 2 = 0 THEN ITERATE outer_loop; END IF;
    BEGIN
      DECLARE add_it INTEGER DEFAULT i;
      SET total = total + add_it;
    END;
  END LOOP;
  RETURN total;
END;
--> procedure created
EXEC odd_sum 9;
--> odd_sum
--> 25
--> (1 rows, all partitions)
-- FOR over a query, with changes inside.
CREATE PROCEDURE copy_r () RETURNS BIGINT AS BEGIN
  DECLARE copied BIGINT DEFAULT 0;
  FOR x AS SELECT id, n FROM r ORDER BY id DO
    INSERT INTO r VALUES (x.id + 100, x.n);
    SET copied = copied + 1;
  END FOR;
  RETURN copied;
END;
--> procedure created
EXEC copy_r;
--> copy_r
--> 3
--> (1 rows, all partitions)
SELECT * FROM r ORDER BY id;
--> id | n
--> 1 | 10
--> 2 | 20
--> 3 | 30
--> 101 | 10
--> 102 | 20
--> 103 | 30
--> (6 rows, partition p0)
-- CASE statement.
CREATE PROCEDURE word_for (n INTEGER) RETURNS VARCHAR(10) AS BEGIN
  CASE n WHEN 1 THEN RETURN 'one'; WHEN 2 THEN RETURN 'two'; ELSE RETURN 'many'; END CASE;
END;
--> procedure created
EXEC word_for 2;
--> word_for
--> 'two'
--> (1 rows, all partitions)
EXEC word_for 9;
--> word_for
--> 'many'
--> (1 rows, all partitions)
CREATE PROCEDURE searched (n INTEGER) RETURNS VARCHAR(10) AS BEGIN
  CASE WHEN n < 0 THEN RETURN 'less'; WHEN n > 0 THEN RETURN 'more'; END CASE;
END;
--> procedure created
EXEC searched 3;
--> searched
--> 'more'
--> (1 rows, all partitions)
EXEC searched 0;
--> error: no branch of CASE applies, and it has no ELSE (searched, line 2) [20000]
-- SELECT INTO: no row gives NULLs, two are an error.
CREATE PROCEDURE pick (k INTEGER) RETURNS VARCHAR(20) AS BEGIN
  DECLARE a INTEGER;
  DECLARE b INTEGER;
  SELECT id, n INTO a, b FROM r WHERE id >= k AND id <= k + 1;
  RETURN COALESCE(CAST(a AS VARCHAR), 'none') || '/' || COALESCE(CAST(b AS VARCHAR), 'none');
END;
--> procedure created
EXEC pick 3;
--> pick
--> '3/30'
--> (1 rows, all partitions)
EXEC pick 50;
--> pick
--> 'none/none'
--> (1 rows, all partitions)
EXEC pick 1;
--> error: SELECT INTO gave more than one row (pick, line 4) [21000]
-- SIGNAL undoes everything.
CREATE PROCEDURE fail_after (k INTEGER) AS BEGIN
  INSERT INTO r VALUES (k, k);
  DELETE FROM r WHERE id = 1;
  IF k > 0 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no ' || CAST(k AS VARCHAR) || ', thanks';
  END IF;
END;
--> procedure created
EXEC fail_after 500;
--> error: no 500, thanks (fail_after, line 5) [45000]
SELECT COUNT(*) FROM r WHERE id IN (1, 500);
--> C1
--> 1
--> (1 rows, partition p0)
EXEC fail_after -500;
--> no results, all partitions
SELECT id FROM r WHERE id IN (1, -500) ORDER BY id;
--> id
--> -500
--> (1 rows, partition p0)
-- Bare queries are result sets, in order.
CREATE PROCEDURE two_results (k INTEGER) AS BEGIN
  SELECT id FROM r WHERE id < k ORDER BY id;
  SELECT COUNT(*) AS n FROM r;
END;
--> procedure created
EXEC two_results 3;
--> id
--> -500
--> 2
--> (2 rows, all partitions)
--> n
--> 6
--> (1 rows, all partitions)
-- A name is a column first, and a parameter with its colon.
CREATE PROCEDURE shadow (n INTEGER) AS BEGIN
  SELECT id FROM r WHERE n = :n ORDER BY id;
END;
--> procedure created
EXEC shadow 20;
--> id
--> 2
--> 102
--> (2 rows, all partitions)
-- Errors tell the line.
CREATE PROCEDURE divide (a INTEGER, b INTEGER) RETURNS BIGINT AS BEGIN
  DECLARE x BIGINT;

  SET x = a / b;
  RETURN x;
END;
--> procedure created
EXEC divide 7 2;
--> divide
--> 3
--> (1 rows, all partitions)
EXEC divide 7 0;
--> error: division by zero (divide, line 4) [22012]
CREATE PROCEDURE bad () AS BEGIN
  DECLARE x INTEGER;
  SET y = 1;
  SELECT nothing FROM r;
  LEAVE;
END;
--> LINE 3:   SET y = 1;
-->               ^
--> error: no variable or parameter y
--> LINE 4:   SELECT nothing FROM r;
-->                  ^^^^^^^
--> error: no column nothing in r
--> LINE 5:   LEAVE;
-->           ^^^^^
--> error: not inside a loop [42000]
CREATE PROCEDURE bad () AS BEGIN
  DECLARE x INTEGER;
  DECLARE x INTEGER;
END;
--> LINE 3:   DECLARE x INTEGER;
-->                   ^
--> error: variable x is declared twice in this block [42000]
CREATE PROCEDURE hides (x INTEGER) RETURNS INTEGER AS BEGIN
  BEGIN
    DECLARE x INTEGER DEFAULT 7;
    SET x = x + 1;
  END;
  RETURN x;
END;
--> procedure created
EXEC hides 3;
--> hides
--> 3
--> (1 rows, all partitions)
CREATE PROCEDURE bad () AS BEGIN
  CREATE TABLE x (id INTEGER);
END;
--> LINE 2:   CREATE TABLE x (id INTEGER);
-->           ^^^^^^
--> error: a procedure's body can't change the schema; is an END missing before it? [42601]
CREATE PROCEDURE bad () AS BEGIN
  IF 1 THEN RETURN; END IF;
END;
--> LINE 2:   IF 1 THEN RETURN; END IF;
-->              ^
--> error: this needs a condition, not a value of type INTEGER [42000]
CREATE PROCEDURE bad () AS BEGIN
  WHILE TRUE DO
    RETURN;
END;
--> LINE 4: END;
-->            ^
--> error: expected WHILE after END, found the end of the statement [42601]
CREATE PROCEDURE bad () RETURNS INTEGER AS BEGIN
  RETURN 'word';
END;
--> LINE 2:   RETURN 'word';
-->                  ^^^^^^
--> error: cannot read 'word' as INTEGER [22018]
CREATE PROCEDURE bad (a INTEGER, a INTEGER) AS BEGIN RETURN; END;
--> LINE 1: CREATE PROCEDURE bad (a INTEGER, a INTEGER) AS BEGIN RETURN; END
-->                                          ^
--> error: parameter a is declared twice [42000]
-- What a partitioned procedure may touch.
CREATE PROCEDURE own (k INTEGER) PARTITION ON TABLE p COLUMN id AS BEGIN
  INSERT INTO p VALUES (k, k, 'own');
  SELECT * FROM p WHERE id = k;
END;
--> procedure created
EXEC own 42;
--> id | n | name
--> 42 | 42 | 'own'
--> (1 rows, partition p1 (hash of k))
CREATE PROCEDURE stray (k INTEGER) PARTITION ON TABLE p COLUMN id AS BEGIN
  INSERT INTO p VALUES (k + 1, k, 'stray');
END;
--> LINE 2:   INSERT INTO p VALUES (k + 1, k, 'stray');
-->           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: the procedure runs on the partition of k alone, but this statement is not bound to it: compare the partition column with k, or leave PARTITION ON out [42000]
EXEC stray 42;
--> LINE 1: EXEC stray 42
-->              ^^^^^
--> error: no procedure stray [42883]
EXEC stray 43;
--> LINE 1: EXEC stray 43
-->              ^^^^^
--> error: no procedure stray [42883]
SELECT id FROM p ORDER BY id;
--> id
--> 1
--> 42
--> (2 rows, all partitions)
CREATE PROCEDURE writes_all (k INTEGER) PARTITION ON TABLE p COLUMN id AS BEGIN
  INSERT INTO r VALUES (k, k);
END;
--> LINE 2:   INSERT INTO r VALUES (k, k);
-->           ^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: the procedure runs on the partition of k alone, but this statement is not bound to it: compare the partition column with k, or leave PARTITION ON out [42000]
CREATE PROCEDURE sees_part (k INTEGER) PARTITION ON TABLE p COLUMN id AS BEGIN
  SELECT COUNT(*) FROM p;
END;
--> LINE 2:   SELECT COUNT(*) FROM p;
-->           ^^^^^^^^^^^^^^^^^^^^^^
--> error: the procedure runs on the partition of k alone, but this statement is not bound to it: compare the partition column with k, or leave PARTITION ON out [42000]
CREATE PROCEDURE wrong_column (k INTEGER) PARTITION ON TABLE p COLUMN n AS BEGIN RETURN; END;
--> LINE 1: CREATE PROCEDURE wrong_column (k INTEGER) PARTITION ON TABLE p COLUMN n AS BEGIN RETURN; END
-->                                                                               ^
--> error: p is partitioned on id, not on n [42000]
CREATE PROCEDURE wrong_table (k INTEGER) PARTITION ON TABLE r COLUMN id AS BEGIN RETURN; END;
--> LINE 1: CREATE PROCEDURE wrong_table (k INTEGER) PARTITION ON TABLE r COLUMN id AS BEGIN RETURN; END
-->                                                                     ^
--> error: table r is not partitioned [42000]
CREATE PROCEDURE wrong_parameter (k INTEGER) PARTITION ON TABLE p COLUMN id PARAMETER 1 AS BEGIN RETURN; END;
--> LINE 1: CREATE PROCEDURE wrong_parameter (k INTEGER) PARTITION ON TABLE p COLUMN id PARAMETER 1 AS BEGIN RETURN; END
-->                                                                                  ^^
--> error: there is no parameter 1: the procedure has 1 [42000]
CREATE PROCEDURE wrong_type (k VARCHAR(5)) PARTITION ON TABLE p COLUMN id AS BEGIN RETURN; END;
--> LINE 1: CREATE PROCEDURE wrong_type (k VARCHAR(5)) PARTITION ON TABLE p COLUMN id AS BEGIN RETURN; END
-->                                                                                ^^
--> error: parameter k is VARCHAR(5), but id is INTEGER [42000]
-- Arguments.
CREATE PROCEDURE defaults (a INTEGER, b VARCHAR(5) DEFAULT 'x') RETURNS VARCHAR(20) AS BEGIN RETURN CAST(a AS VARCHAR) || b; END;
--> procedure created
EXEC defaults 1;
--> defaults
--> '1x'
--> (1 rows, all partitions)
EXEC defaults 1 'yy';
--> defaults
--> '1yy'
--> (1 rows, all partitions)
CALL defaults(1, 'zz');
--> defaults
--> '1zz'
--> (1 rows, all partitions)
EXEC defaults;
--> LINE 1: EXEC defaults
-->              ^^^^^^^^
--> error: defaults takes 1 to 2 arguments, not 0: defaults(a INTEGER, b VARCHAR(5) DEFAULT x) [07001]
EXEC defaults 1 'two' 3;
--> LINE 1: EXEC defaults 1 'two' 3
-->              ^^^^^^^^
--> error: defaults takes 1 to 2 arguments, not 3: defaults(a INTEGER, b VARCHAR(5) DEFAULT x) [07001]
EXEC defaults 'one';
--> LINE 1: EXEC defaults 'one'
-->                       ^^^^^
--> error: argument 1 of defaults (a INTEGER): value one of type VARCHAR is not a match or out of range for type INTEGER [22018]
EXEC defaults 99999999999;
--> LINE 1: EXEC defaults 99999999999
-->                       ^^^^^^^^^^^
--> error: argument 1 of defaults (a INTEGER): value 99999999999 of type BIGINT is not a match or out of range for type INTEGER [22003]
EXEC defaults 1 'toolong';
--> LINE 1: EXEC defaults 1 'toolong'
-->                         ^^^^^^^^^
--> error: argument 2 of defaults (b VARCHAR(5)): value of length 7 is too long for VARCHAR(5) [22026]
EXEC no_such_procedure;
--> LINE 1: EXEC no_such_procedure
-->              ^^^^^^^^^^^^^^^^^
--> error: no procedure no_such_procedure [42883]
EXEC default 1;
--> LINE 1: EXEC default 1
-->              ^^^^^^^
--> error: no procedure default; did you mean defaults? [42883]
-- A statement inside sees what the ones before it did.
CREATE PROCEDURE sees_own (k INTEGER) RETURNS BIGINT AS BEGIN
  INSERT INTO p VALUES (k, 1, 'a'), (k + 1, 1, 'b');
  UPDATE p SET n = n + 1 WHERE id >= k;
  DELETE FROM p WHERE id = k;
  RETURN (SELECT SUM(n) FROM p WHERE id >= k);
END;
--> procedure created
EXEC sees_own 1000;
--> sees_own
--> 2
--> (1 rows, all partitions)
EXEC sees_own 1001;
--> error: duplicate key in p: pk_p already has id = 1001 (sees_own, line 2) [23000]
SELECT id, n FROM p WHERE id >= 1000 ORDER BY id;
--> id | n
--> 1001 | 2
--> (1 rows, all partitions)
CREATE OR REPLACE PROCEDURE divide (a INTEGER, b INTEGER) RETURNS BIGINT AS BEGIN RETURN a * b; END;
--> procedure created
EXEC divide 7 2;
--> divide
--> 14
--> (1 rows, all partitions)
