CREATE TABLE acct (id INTEGER NOT NULL PRIMARY KEY, balance BIGINT NOT NULL, name VARCHAR(20));
--> table created
PARTITION TABLE acct ON COLUMN id;
--> table partitioned
CREATE TABLE audit (n INTEGER NOT NULL PRIMARY KEY, what VARCHAR(60));
--> table created
INSERT INTO acct VALUES (1, 100, 'one'), (2, 50, 'two'), (3, 0, NULL);
--> 3 modified, all partitions
-- Handlers: an EXIT handler ends its block, a CONTINUE handler goes on behind the statement that failed.
CREATE PROCEDURE put (k INTEGER, what VARCHAR(60)) RETURNS VARCHAR(80) AS BEGIN
  DECLARE EXIT HANDLER FOR UNIQUE VIOLATION BEGIN
    RETURN 'there already: ' || SQLSTATE;
  END;
  INSERT INTO audit VALUES (k, what);
  RETURN 'new';
END;
--> procedure created
EXEC put 1 first;
--> put
--> 'new'
--> (1 rows, all partitions)
EXEC put 1 second;
--> put
--> 'there already: 23000'
--> (1 rows, all partitions)
SELECT * FROM audit;
--> n | what
--> 1 | 'first'
--> (1 rows, partition p0)
CREATE PROCEDURE put_all () RETURNS BIGINT AS BEGIN
  DECLARE failed, i BIGINT DEFAULT 0;
  DECLARE CONTINUE HANDLER FOR SQLSTATE '23505' SET failed = failed + 1;
  WHILE i < 4 DO
    INSERT INTO audit VALUES (i, 'loop');
    SET i = i + 1;
  END WHILE;
  RETURN failed;
END;
--> procedure created
EXEC put_all;
--> put_all
--> 1
--> (1 rows, all partitions)
SELECT * FROM audit ORDER BY n;
--> n | what
--> 0 | 'loop'
--> 1 | 'first'
--> 2 | 'loop'
--> 3 | 'loop'
--> (4 rows, partition p0)
-- A statement of several rows that fails in the middle leaves nothing of itself.
CREATE PROCEDURE half () RETURNS VARCHAR(100) AS BEGIN
  DECLARE said VARCHAR(100) DEFAULT 'nothing';
  DECLARE CONTINUE HANDLER FOR SQLEXCEPTION GET DIAGNOSTICS said = MESSAGE_TEXT;
  INSERT INTO audit VALUES (10, 'ten'), (11, 'eleven'), (3, 'again');
  INSERT INTO audit VALUES (12, 'twelve');
  RETURN said;
END;
--> procedure created
EXEC half;
--> half
--> 'duplicate key in audit: pk_audit already has n = 3'
--> (1 rows, all partitions)
SELECT n FROM audit WHERE n >= 10;
--> n
--> 12
--> (1 rows, partition p0)
-- NOT FOUND, cursors, REPEAT.
CREATE PROCEDURE walk () RETURNS VARCHAR(100) AS BEGIN
  DECLARE done BOOLEAN DEFAULT FALSE;
  DECLARE r ROW OF acct;
  DECLARE said VARCHAR(100) DEFAULT '';
  DECLARE c CURSOR FOR SELECT * FROM acct ORDER BY id;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = TRUE;
  OPEN c;
  REPEAT
    FETCH c INTO r;
    IF NOT done THEN SET said = said || COALESCE(r.name, '?') || ' '; END IF;
  UNTIL done END REPEAT;
  CLOSE c;
  SET r.name = 'changed';
  RETURN said || r.name;
END;
--> procedure created
EXEC walk;
--> walk
--> 'one two ? changed'
--> (1 rows, all partitions)
CREATE PROCEDURE find_name (k INTEGER) RETURNS VARCHAR(20) AS BEGIN
  DECLARE found VARCHAR(20);
  DECLARE EXIT HANDLER FOR NOT FOUND RETURN 'nobody';
  SELECT name INTO found FROM acct WHERE id = k;
  RETURN found;
END;
--> procedure created
--> note: find_name is single-partition by k: every statement is fixed to it
EXEC find_name 2;
--> find_name
--> 'two'
--> (1 rows, partition p1 (hash of k))
EXEC find_name k => 7;
--> find_name
--> 'nobody'
--> (1 rows, partition p0 (hash of k))
-- SIGNAL, RESIGNAL, conditions.
CREATE PROCEDURE guarded (n INTEGER) AS BEGIN
  DECLARE too_small CONDITION FOR SQLSTATE '45001';
  DECLARE EXIT HANDLER FOR too_small RESIGNAL SET MESSAGE_TEXT = 'guarded: ' || SQLERRM;
  DECLARE EXIT HANDLER FOR SQLSTATE '45002' RESIGNAL;
  IF n < 0 THEN SIGNAL too_small SET MESSAGE_TEXT = 'less than nothing'; END IF;
  IF n > 9 THEN SIGNAL SQLSTATE '45002' SET MESSAGE_TEXT = 'more than nine'; END IF;
END;
--> procedure created
EXEC guarded -1;
--> error: guarded: less than nothing (guarded, line 3) [45001]
EXEC guarded 10;
--> error: more than nine (guarded, line 4) [45002]
EXEC guarded 5;
--> no results, all partitions
-- ROW_COUNT, expectations, status.
CREATE PROCEDURE pay (src INTEGER, dst INTEGER, amount BIGINT DEFAULT 10) RETURNS BIGINT AS BEGIN
  DECLARE changed BIGINT;
  UPDATE acct SET balance = balance - amount WHERE id = src AND balance >= amount EXPECT ONE ROW;
  UPDATE acct SET balance = balance + amount WHERE id = dst;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed <> 1 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no account ' || CAST(dst AS VARCHAR); END IF;
  SET STATUS 7, 'paid';
  RETURN ROW_COUNT();
END;
--> procedure created
EXEC pay 1 2;
--> pay
--> 1
--> (1 rows, all partitions)
EXEC pay 3 2;
--> error: expected one row, found 0 (pay, line 3) [21000]
EXEC pay 1 9;
--> error: no account 9 (pay, line 6) [45000]
EXEC pay amount => 20, dst => 3, src => 1;
--> pay
--> 1
--> (1 rows, all partitions)
EXEC pay 1 dst => 3, src => 2;
--> LINE 1: EXEC pay 1 dst => 3, src => 2
-->                                     ^
--> error: parameter src of pay is given twice [07001]
EXEC pay dst => 3, sorce => 2;
--> LINE 1: EXEC pay dst => 3, sorce => 2
-->                                     ^
--> error: pay has no parameter sorce [07001]
EXEC pay src => 3;
--> LINE 1: EXEC pay src => 3
-->              ^^^
--> error: parameter dst of pay is missing, and has no default [07001]
SELECT id, balance FROM acct ORDER BY id;
--> id | balance
--> 1 | 70
--> 2 | 60
--> 3 | 20
--> (3 rows, all partitions)
CREATE PROCEDURE expects (k INTEGER) AS BEGIN
  SELECT COUNT(*) FROM acct EXPECT SCALAR = 3;
  SELECT name FROM acct WHERE id = k EXPECT ZERO OR ONE ROW;
  SELECT id FROM acct WHERE id >= k EXPECT AT LEAST ONE ROW;
END;
--> procedure created
EXEC expects 2;
--> C1
--> 3
--> (1 rows, all partitions)
--> name
--> 'two'
--> (1 rows, all partitions)
--> id
--> 3
--> 2
--> (2 rows, all partitions)
EXEC expects 9;
--> error: expected at least one row, found 0 (expects, line 4) [21000]
-- CALL in the same transaction.
CREATE PROCEDURE twice (src INTEGER, dst INTEGER) RETURNS BIGINT AS BEGIN
  DECLARE x BIGINT;
  CALL pay(src, dst) INTO x;
  CALL pay(src, dst, amount => x + 1);
  RETURN x;
END;
--> procedure created
EXEC twice 1 2;
--> twice
--> 1
--> (1 rows, all partitions)
CALL twice(1, 2);
--> twice
--> 1
--> (1 rows, all partitions)
CALL twice(3, 2);
--> twice
--> 1
--> (1 rows, all partitions)
SELECT id, balance FROM acct ORDER BY id;
--> id | balance
--> 1 | 46
--> 2 | 96
--> 3 | 8
--> (3 rows, all partitions)
CREATE PROCEDURE down (n INTEGER) RETURNS BIGINT AS BEGIN
  DECLARE x BIGINT;
  IF n <= 0 THEN RETURN 0; END IF;
  CALL down(n - 1) INTO x;
  RETURN x + n;
END;
--> procedure created
EXEC down 10;
--> down
--> 55
--> (1 rows, all partitions)
EXEC down 1000;
--> error: procedures call each other more than 48 deep (down, line 4) [54001]
-- Found to be single-partition.
CREATE PROCEDURE deposit (k INTEGER, amount BIGINT) AS BEGIN
  UPDATE acct SET balance = balance + amount WHERE id = k;
  SELECT balance FROM acct WHERE id = k;
END;
--> procedure created
--> note: deposit is single-partition by k: every statement is fixed to it
EXEC deposit 1 5;
--> balance
--> 51
--> (1 rows, partition p0 (hash of k))
CREATE PROCEDURE deposit_twice (k INTEGER) AS BEGIN CALL deposit(k, 1); CALL deposit(amount => 2, k => k); CALL acct.delete(k); END;
--> procedure created
--> note: deposit_twice is single-partition by k: every statement is fixed to it
EXEC deposit_twice 1;
--> balance
--> 52
--> (1 rows, partition p0 (hash of k))
--> balance
--> 54
--> (1 rows, partition p0 (hash of k))
--> modified_tuples
--> 1
--> (1 rows, partition p0 (hash of k))
-- Tables' own procedures.
EXEC acct.insert 1 77 'uno';
--> modified_tuples
--> 1
--> (1 rows, partition p0 (hash of id))
EXEC ACCT.INSERT 1 77 'uno';
--> error: duplicate key in acct: pk_acct already has id = 1 (acct.insert, line 1) [23000]
EXEC acct.upsert 1 78 'eins';
--> modified_tuples
--> 1
--> (1 rows, partition p0 (hash of id))
EXEC acct.select 1;
--> id | balance | name
--> 1 | 78 | 'eins'
--> (1 rows, partition p0 (hash of id))
EXEC acct.update 1 79 'un' 1;
--> modified_tuples
--> 1
--> (1 rows, partition p0 (hash of id_key))
EXEC acct.delete 1;
--> modified_tuples
--> 1
--> (1 rows, partition p0 (hash of id))
EXEC audit.select 1;
--> LINE 1: EXEC audit.select 1
-->              ^^^^^^^^^^^^
--> error: no procedure audit.select: audit is replicated: only partitioned tables have select [42883]
EXEC acct.merge 1;
--> LINE 1: EXEC acct.merge 1
-->              ^^^^^^^^^^
--> error: no procedure acct.merge: a table's own procedures are insert, upsert, update, delete, select [42883]
EXEC acc.insert 1;
--> LINE 1: EXEC acc.insert 1
-->              ^^^^^^^^^^
--> error: no procedure acc.insert: no such table; did you mean acct.insert? [42883]
-- DIRECTED.
CREATE DIRECTED PROCEDURE counts AS SELECT COUNT(*) AS n FROM acct;
--> procedure created
EXEC counts;
--> n
--> 1
--> (1 rows, each partition apart)
--> n
--> 1
--> (1 rows, each partition apart)
CREATE DIRECTED PROCEDURE bad AS INSERT INTO audit VALUES (99, 'x');
--> LINE 1: CREATE DIRECTED PROCEDURE bad AS INSERT INTO audit VALUES (99, 'x')
-->                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: a DIRECTED procedure runs at every partition apart: it cannot change a replicated table [42000]
-- Errors, all of them.
CREATE PROCEDURE wrong (a INTEGER) AS BEGIN
  IF a = 1 THEN
    SET b = 1;
    CASE a WHEN 1 THEN SELECT nope FROM acct; END CASE;
  END IF;
  CALL nobody(1);
  CALL pay(1);
  RESIGNAL;
END;
--> LINE 3:     SET b = 1;
-->                 ^
--> error: no variable or parameter b
--> LINE 4:     CASE a WHEN 1 THEN SELECT nope FROM acct; END CASE;
-->                                       ^^^^
--> error: no column nope in acct
--> LINE 6:   CALL nobody(1);
-->                ^^^^^^
--> error: no procedure nobody
--> LINE 7:   CALL pay(1);
-->                ^^^
--> error: pay takes 2 to 3 arguments, not 1: pay(src INTEGER, dst INTEGER, amount BIGINT DEFAULT 10)
--> LINE 8:   RESIGNAL;
-->           ^^^^^^^^
--> error: RESIGNAL is for handlers: elsewhere write SIGNAL SQLSTATE '..' [42000]
DROP PROCEDURE pay;
--> error: procedure twice depends on what is changed (no procedure pay); drop it first, or create it anew in the same batch [42000]
