-- Tables, their keys, defaults and partitioning.
CREATE TABLE a (id INTEGER NOT NULL, name VARCHAR(10) DEFAULT 'none' NOT NULL, n BIGINT DEFAULT 7, PRIMARY KEY (id));
--> table created
INSERT INTO a (id) VALUES (1);
--> 1 modified, all partitions
SELECT * FROM a;
--> id | name | n
--> 1 | 'none' | 7
--> (1 rows, partition p0)
CREATE TABLE a (id INTEGER);
--> LINE 1: CREATE TABLE a (id INTEGER)
-->                      ^
--> error: table a is there already [42000]
CREATE TABLE A (id INTEGER);
--> LINE 1: CREATE TABLE A (id INTEGER)
-->                      ^
--> error: table a is there already [42000]
CREATE TABLE IF NOT EXISTS a (id INTEGER);
--> nothing created
--> note: table a is there already
CREATE TABLE c (id INTEGER, ID BIGINT);
--> LINE 1: CREATE TABLE c (id INTEGER, ID BIGINT)
-->                                     ^^
--> error: column ID is there twice [42000]
CREATE TABLE c (id INTEGER, PRIMARY KEY (x));
--> LINE 1: CREATE TABLE c (id INTEGER, PRIMARY KEY (x))
-->                                                  ^
--> error: no column x in c [42000]
CREATE TABLE c (id INTEGER PRIMARY KEY, x INTEGER PRIMARY KEY);
--> LINE 1: CREATE TABLE c (id INTEGER PRIMARY KEY, x INTEGER PRIMARY KEY)
-->                                                 ^
--> error: table c has two primary keys [42000]
CREATE TABLE c (id WIDGET);
--> LINE 1: CREATE TABLE c (id WIDGET)
-->                            ^^^^^^
--> error: there is no type WIDGET; the types are TINYINT, SMALLINT, INTEGER, BIGINT, FLOAT, DECIMAL, VARCHAR, VARBINARY, TIMESTAMP, BOOLEAN [42601]
CREATE TABLE c (id INTEGER DEFAULT 'one');
--> LINE 1: CREATE TABLE c (id INTEGER DEFAULT 'one')
-->                                            ^^^^^
--> error: DEFAULT of column id: cannot read 'one' as INTEGER [22018]
CREATE TABLE c (id INTEGER NOT NULL DEFAULT NULL);
--> table created
CREATE TABLE c ();
--> LINE 1: CREATE TABLE c ()
-->                         ^
--> error: expected the name of a column, found ) [42601]

-- Partitioning.
PARTITION TABLE a ON COLUMN id;
--> table partitioned
DELETE FROM a;
--> 1 modified, all partitions
PARTITION TABLE a ON COLUMN nothing;
--> LINE 1: PARTITION TABLE a ON COLUMN nothing
-->                                     ^^^^^^^
--> error: no column nothing in a [42000]
PARTITION TABLE a ON COLUMN n;
--> LINE 1: PARTITION TABLE a ON COLUMN n
-->                                     ^
--> error: a can't be partitioned on n: it must be NOT NULL [42000]
PARTITION TABLE a ON COLUMN name;
--> LINE 1: PARTITION TABLE a ON COLUMN name
-->                                     ^^^^
--> error: unique key pk_a of partitioned table a must include the partition column name; ASSUMEUNIQUE checks each partition by itself [42000]
PARTITION TABLE nothing ON COLUMN id;
--> LINE 1: PARTITION TABLE nothing ON COLUMN id
-->                         ^^^^^^^
--> error: no table nothing [42000]
PARTITION TABLE a ON COLUMN id;
--> table partitioned
--> note: a is partitioned on id already
INSERT INTO a (id) VALUES (1), (2), (3), (4);
--> 4 modified, all partitions
SELECT * FROM a WHERE id = 2;
--> id | name | n
--> 2 | 'none' | 7
--> (1 rows, partition p1 (hash of id))
SELECT COUNT(*) FROM a;
--> C1
--> 4
--> (1 rows, all partitions)
CREATE TABLE fl (f FLOAT NOT NULL);
--> table created
PARTITION TABLE fl ON COLUMN f;
--> LINE 1: PARTITION TABLE fl ON COLUMN f
-->                                      ^
--> error: fl can't be partitioned on f: it is FLOAT, and must be an integer, VARCHAR or VARBINARY [42000]
DROP TABLE fl;
--> table dropped
CREATE TABLE u (id INTEGER NOT NULL, x INTEGER UNIQUE);
--> table created
PARTITION TABLE u ON COLUMN id;
--> LINE 1: PARTITION TABLE u ON COLUMN id
-->                                     ^^
--> error: unique key uq_u_x of partitioned table u must include the partition column id; ASSUMEUNIQUE checks each partition by itself [42000]
DROP TABLE u;
--> table dropped

-- Indexes.
CREATE INDEX a_n ON a (n);
--> index created
CREATE INDEX a_n ON a (name);
--> LINE 1: CREATE INDEX a_n ON a (name)
-->                      ^^^
--> error: index a_n is there already, on a [42000]
CREATE INDEX a_x ON a (x);
--> LINE 1: CREATE INDEX a_x ON a (x)
-->                                ^
--> error: no column x in a [42000]
CREATE INDEX x_n ON nothing (n);
--> LINE 1: CREATE INDEX x_n ON nothing (n)
-->                             ^^^^^^^
--> error: no table or view nothing [42000]
CREATE UNIQUE INDEX a_un ON a (n);
--> LINE 1: CREATE UNIQUE INDEX a_un ON a (n)
-->                             ^^^^
--> error: unique key a_un of partitioned table a must include the partition column id; ASSUMEUNIQUE checks each partition by itself [42000]
CREATE UNIQUE INDEX a_u ON a (id, n);
--> index created
CREATE INDEX a_expr ON a (n + 1);
--> index created
DROP INDEX a_n;
--> index dropped
DROP INDEX a_n;
--> LINE 1: DROP INDEX a_n
-->                    ^^^
--> error: no index a_n; did you mean a_u? [42000]
DROP INDEX a_n IF EXISTS;
--> nothing dropped
--> note: there is no index a_n
DROP INDEX IF EXISTS a_n;
--> nothing dropped
--> note: there is no index a_n
CREATE TABLE r (id INTEGER NOT NULL PRIMARY KEY, n INTEGER);
--> table created
INSERT INTO r VALUES (1, 5), (2, 5);
--> 2 modified, all partitions
CREATE UNIQUE INDEX r_n ON r (n);
--> error: duplicate key in r: r_n already has n = 5 in several rows [23000]
UPDATE r SET n = 6 WHERE id = 2;
--> 1 modified, all partitions
CREATE UNIQUE INDEX r_n ON r (n);
--> index created
INSERT INTO r VALUES (3, 6);
--> error: duplicate key in r: r_n already has n = 6 [23000]

-- Views.
CREATE VIEW v (n, c) AS SELECT n, COUNT(*) FROM a GROUP BY n;
--> view created
SELECT * FROM v;
--> n | c
--> 7 | 4
--> (1 rows, all partitions)
CREATE VIEW v (n, c) AS SELECT n, COUNT(*) FROM a GROUP BY n;
--> LINE 1: CREATE VIEW v (n, c) AS SELECT n, COUNT(*) FROM a GROUP BY n
-->                     ^
--> error: view v is there already [42000]
CREATE TABLE v (n INTEGER);
--> LINE 1: CREATE TABLE v (n INTEGER)
-->                      ^
--> error: view v is there already [42000]
CREATE MATERIALIZED VIEW w (n) AS SELECT n FROM a;
--> LINE 1: CREATE MATERIALIZED VIEW w (n) AS SELECT n FROM a
-->                                                  ^
--> error: after its groups a materialized view selects COUNT, SUM, MIN and MAX only: this is neither a group nor an aggregate [42000]
CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, AVG(id) FROM a GROUP BY n;
--> LINE 1: CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, AVG(id) FROM a GROUP BY n
-->                                                        ^^^^^^^
--> error: a materialized view can't have AVG: select SUM and COUNT, and divide in the query [42000]
CREATE MATERIALIZED VIEW w (n, c) AS SELECT name, COUNT(*) FROM a GROUP BY n;
--> LINE 1: CREATE MATERIALIZED VIEW w (n, c) AS SELECT name, COUNT(*) FROM a GROUP BY n
-->                                                     ^^^^
--> error: a materialized view selects all of its GROUP BY expressions, in their order, before the aggregates [42000]
CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, COUNT(*) FROM v GROUP BY n;
--> LINE 1: CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, COUNT(*) FROM v GROUP BY n
-->                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: a materialized view reads tables, not subqueries or other views [42000]
CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, COUNT(*) FROM a GROUP BY n ORDER BY n;
--> LINE 1: CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, COUNT(*) FROM a GROUP BY n ORDER BY n
-->                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: a materialized view can't have ORDER BY; write it in the queries that read the view [42000]
CREATE MATERIALIZED VIEW w (n, c, d) AS SELECT n, COUNT(*) FROM a GROUP BY n;
--> LINE 1: CREATE MATERIALIZED VIEW w (n, c, d) AS SELECT n, COUNT(*) FROM a GROUP BY n
-->                                     ^^^^^^^
--> error: 3 column names for 2 columns [42000]
CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, COUNT(DISTINCT id) FROM a GROUP BY n;
--> LINE 1: CREATE MATERIALIZED VIEW w (n, c) AS SELECT n, COUNT(DISTINCT id) FROM a GROUP BY n
-->                                                        ^^^^^^^^^^^^^^^^^^
--> error: a materialized view can't have DISTINCT aggregates [42000]

-- Dependents.
DROP TABLE a;
--> LINE 1: DROP TABLE a
-->                    ^
--> error: view v depends on a: drop it first, or add CASCADE [42000]
CREATE PROCEDURE p AS SELECT * FROM v;
--> procedure created
DROP VIEW v;
--> error: procedure p depends on what is changed (no table or view v); drop it first, or create it anew in the same batch [42000]
DROP TABLE a CASCADE;
--> error: procedure p depends on what is changed (no table or view v); drop it first, or create it anew in the same batch [42000]
DROP PROCEDURE p;
--> procedure dropped
DROP TABLE a CASCADE;
--> table dropped
--> note: view v is dropped too
SELECT * FROM v;
--> LINE 1: SELECT * FROM v
-->                       ^
--> error: no table or view v [42000]
DROP TABLE a;
--> LINE 1: DROP TABLE a
-->                    ^
--> error: no table a [42000]
DROP TABLE a IF EXISTS;
--> nothing dropped
--> note: there is no table a
DROP TABLE IF EXISTS a CASCADE;
--> nothing dropped
--> note: there is no table a
DROP VIEW r;
--> LINE 1: DROP VIEW r
-->                   ^
--> error: r is a table, not a view: DROP TABLE r [42000]
DROP TABLE r;
--> table dropped
DROP PROCEDURE p;
--> LINE 1: DROP PROCEDURE p
-->                        ^
--> error: no procedure p [42000]
DROP PROCEDURE p IF EXISTS;
--> nothing dropped
--> note: there is no procedure p
DROP VIEW v IF EXISTS;
--> nothing dropped
--> note: there is no view v

-- Names in quotes keep their signs.
CREATE TABLE "two words" ("select" INTEGER, b INTEGER);
--> table created
INSERT INTO "two words" ("select", b) VALUES (1, 2);
--> 1 modified, all partitions
SELECT "select", t.b FROM "two words" AS t;
--> select | b
--> 1 | 2
--> (1 rows, partition p0)
DROP TABLE "two words";
--> table dropped

-- A batch is all or nothing.
--: batch
CREATE TABLE x (id INTEGER NOT NULL PRIMARY KEY);
CREATE INDEX x_i ON x (nothing);
CREATE TABLE x (id BIGINT);
--: end
--> LINE 2: CREATE INDEX x_i ON x (nothing);
-->                                ^^^^^^^
--> error: no column nothing in x [42000]
--> LINE 3: CREATE TABLE x (id BIGINT)
-->                      ^
--> error: table x is there already [42000]
SELECT * FROM x;
--> LINE 1: SELECT * FROM x
-->                       ^
--> error: no table or view x [42000]
--: batch
CREATE TABLE x (id INTEGER NOT NULL PRIMARY KEY, n INTEGER);
PARTITION TABLE x ON COLUMN id;
CREATE VIEW vx (n, c) AS SELECT n, COUNT(*) FROM x GROUP BY n;
CREATE PROCEDURE px (a INTEGER) PARTITION ON TABLE x COLUMN id AS BEGIN INSERT INTO x VALUES (a, a); END;
--: end
--> batch done
EXEC px 5;
--> no results, partition p0 (hash of a)
SELECT * FROM vx;
--> n | c
--> 5 | 1
--> (1 rows, all partitions)
--: batch
DROP PROCEDURE px;
DROP VIEW vx;
DROP TABLE x;
DROP TABLE nothing;
--: end
--> LINE 4: DROP TABLE nothing
-->                    ^^^^^^^
--> error: no table nothing [42000]
SELECT * FROM vx;
--> n | c
--> 5 | 1
--> (1 rows, all partitions)
--: batch
DROP PROCEDURE px IF EXISTS;
DROP VIEW vx IF EXISTS;
DROP TABLE x IF EXISTS;
DROP TABLE nothing IF EXISTS;
--: end
--> batch done
--> note: there is no table nothing
SELECT * FROM vx;
--> LINE 1: SELECT * FROM vx
-->                       ^^
--> error: no table or view vx [42000]

-- Procedures are compiled anew when a table changes, and refuse changes that break them.
CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, n INTEGER);
--> table created
CREATE PROCEDURE q AS SELECT id FROM t WHERE n = ?;
--> procedure created
INSERT INTO t VALUES (1, 10), (2, 20);
--> 2 modified, all partitions
CREATE INDEX t_n ON t (n);
--> index created
EXEC q 20;
--> id
--> 2
--> (1 rows, all partitions)
DROP INDEX t_n;
--> index dropped
EXEC q 20;
--> id
--> 2
--> (1 rows, all partitions)
DROP TABLE t;
--> error: procedure q depends on what is changed (no table or view t); drop it first, or create it anew in the same batch [42000]
CREATE PROCEDURE q AS SELECT n FROM t WHERE id = ?;
--> LINE 1: CREATE PROCEDURE q AS SELECT n FROM t WHERE id = ?
-->                          ^
--> error: there is a procedure q already; use CREATE OR REPLACE, or drop it first [42000]
CREATE OR REPLACE PROCEDURE q AS SELECT n FROM t WHERE id = ?;
--> procedure created
EXEC q 2;
--> n
--> 20
--> (1 rows, all partitions)
CREATE PROCEDURE broken AS SELECT nothing FROM t;
--> LINE 1: CREATE PROCEDURE broken AS SELECT nothing FROM t
-->                                           ^^^^^^^
--> error: no column nothing in t [42000]
TRUNCATE TABLE t;
--> 2 modified, all partitions
EXEC q 2;
--> n
--> (0 rows, all partitions)
