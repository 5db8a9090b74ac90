-- System procedures, and the system tables that SQL can query.
CREATE TABLE account (id BIGINT NOT NULL PRIMARY KEY, owner VARCHAR(20) DEFAULT 'nobody', balance DECIMAL);
--> table created
PARTITION TABLE account ON COLUMN id;
--> table partitioned
CREATE TABLE rate (currency VARCHAR(3) NOT NULL PRIMARY KEY, factor FLOAT);
--> table created
CREATE INDEX by_owner ON account (owner, balance);
--> index created
CREATE VIEW owners (owner, n, most) AS SELECT owner, COUNT(*), MAX(balance) FROM account GROUP BY owner;
--> view created
CREATE PROCEDURE pay (who BIGINT, amount DECIMAL) PARTITION ON TABLE account COLUMN id AS BEGIN
  IF amount <= 0 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'nothing to pay'; END IF;
  INSERT INTO account VALUES (who, 'p', amount);
END;
--> procedure created
CREATE PROCEDURE total AS SELECT SUM(balance) FROM account;
--> procedure created
EXEC pay 1 10;
--> no results, partition p0 (hash of who)
EXEC pay 2 20;
--> no results, partition p1 (hash of who)
EXEC pay 1 10;
--> error: duplicate key in account: pk_account already has id = 1 (pay, line 3) [23000]
EXEC pay 3 0;
--> error: nothing to pay (pay, line 2) [45000]
EXEC total;
--> C1
--> 30.000000000000
--> (1 rows, all partitions)

-- What was counted, exactly.
SELECT procedure, SUM(invocations) AS calls, SUM(aborts) AS aborts, SUM(failures) AS failures
  FROM sys.statistics_procedure WHERE procedure NOT STARTS WITH '@' GROUP BY procedure ORDER BY procedure;
--> procedure | calls | aborts | failures
--> 'pay' | 4 | 1 | 1
--> 'total' | 1 | 0 | 0
--> (2 rows, partition p0)
SELECT procedure, partition_id FROM sys.statistics_procedure WHERE procedure = 'total' ORDER BY 1;
--> procedure | partition_id
--> 'total' | 16383
--> (1 rows, partition p0)
SELECT procedure, invocations, aborts, failures FROM sys.statistics_procedureprofile WHERE procedure = 'pay' ORDER BY 1;
--> procedure | invocations | aborts | failures
--> 'pay' | 4 | 1 | 1
--> (1 rows, partition p0)
SELECT count FROM sys.statistics_latency ORDER BY 1;
--> count
--> 8
--> (1 rows, partition p0)
SELECT SUM(row_count), COUNT(*) FROM sys.partitions;
--> C1 | C2
--> 4 | 2
--> (1 rows, partition p0)
SELECT t.table_name, t.kind, t.row_count, SUM(s.tuple_count) AS tuples
  FROM sys.tables t JOIN sys.statistics_table s ON s.table_name = t.table_name
  GROUP BY t.table_name, t.kind, t.row_count ORDER BY t.table_name;
--> table_name | kind | row_count | tuples
--> 'account' | 'table' | 2 | 2
--> 'owners' | 'view' | 2 | 2
--> 'rate' | 'table' | 0 | 0
--> (3 rows, partition p0)
SELECT index_name, SUM(entry_count) FROM sys.statistics_index GROUP BY index_name ORDER BY index_name;
--> index_name | C2
--> 'by_owner' | 2
--> 'pk_account' | 2
--> 'pk_rate' | 0
--> 'v_owners_groups' | 2
--> (4 rows, partition p0)
SELECT * FROM sys.columns WHERE table_name = 'account' ORDER BY ordinal;
--> table_name | column_name | ordinal | type | nullable | default_value | partition_column | primary_key
--> 'account' | 'id' | 1 | 'BIGINT' | false | NULL | true | 1
--> 'account' | 'owner' | 2 | 'VARCHAR(20)' | true | ''nobody'' | false | NULL
--> 'account' | 'balance' | 3 | 'DECIMAL' | true | NULL | false | NULL
--> (3 rows, partition p0)
SELECT * FROM sys.indexes ORDER BY table_name, index_name;
--> table_name | index_name | kind | is_unique | is_constraint | is_partial | keys
--> 'account' | 'by_owner' | 'ordered' | false | false | false | 'owner, balance'
--> 'account' | 'pk_account' | 'hash' | true | true | false | 'id'
--> 'owners' | 'v_owners_groups' | 'hash' | true | true | false | 'owner'
--> 'rate' | 'pk_rate' | 'hash' | true | true | false | 'currency'
--> (4 rows, partition p0)
SELECT procedure_name, parameters, runs_on, partition_parameter, read_only FROM sys.procedures ORDER BY 1;
--> procedure_name | parameters | runs_on | partition_parameter | read_only
--> 'pay' | 'who BIGINT, amount DECIMAL' | 'one partition' | 'who' | false
--> 'total' | '' | 'all partitions' | NULL | true
--> (2 rows, partition p0)
SELECT * FROM sys.views ORDER BY 1;
--> view_name | source | definition
--> 'owners' | 'account' | 'SELECT owner, COUNT(*), MAX(balance) FROM account GROUP BY owner'
--> (1 rows, partition p0)
SELECT name, value FROM sys.settings WHERE name IN ('sitesperhost', 'statistics') ORDER BY name;
--> name | value
--> 'sitesperhost' | '2'
--> 'statistics' | 'true'
--> (2 rows, partition p0)
SELECT tables.table_name FROM sys.tables WHERE EXISTS (SELECT 1 FROM sys.columns c WHERE c.table_name = tables.table_name AND c.type = 'FLOAT') ORDER BY 1;
--> table_name
--> 'rate'
--> (1 rows, partition p0)
SELECT table_name FROM sys.catalog WHERE table_name LIKE 'sys.%' AND NOT table_name LIKE 'sys.statistics%' ORDER BY 1;
--> table_name
--> 'sys.catalog'
--> 'sys.columns'
--> 'sys.functions'
--> 'sys.indexes'
--> 'sys.partitions'
--> 'sys.procedure_columns'
--> 'sys.procedures'
--> 'sys.settings'
--> 'sys.system_procedures'
--> 'sys.tables'
--> 'sys.views'
--> (11 rows, partition p0)
EXPLAIN SELECT owner, c.type FROM account JOIN sys.columns c ON c.column_name = owner WHERE c.ordinal = 1;
--> execution_plan
--> '      System table sys.columns, 8 rows'
--> '    Filter sys.columns.ordinal = 1'
--> '    Scan account [owner]'
--> '  Hash join on account.owner = sys.columns.column_name'
--> 'Select account.owner, sys.columns.type'
--> 'all partitions'
--> (6 rows)

-- Mistakes.
SELECT * FROM sys.tabels;
--> LINE 1: SELECT * FROM sys.tabels
-->                       ^^^^^^^^^^
--> error: no system table sys.tabels; did you mean sys.tables? (sys.catalog lists them all) [42000]
SELECT * FROM sys.tables WHERE rows = 1;
--> LINE 1: SELECT * FROM sys.tables WHERE rows = 1
-->                                        ^^^^
--> error: no column rows in tables [42000]
SELECT * FROM other.tables;
--> LINE 1: SELECT * FROM other.tables
-->                       ^^^^^^^^^^^^
--> error: other.tables has several parts: schemas are not supported [42601]
CREATE PROCEDURE p AS SELECT * FROM sys.tables;
--> LINE 1: CREATE PROCEDURE p AS SELECT * FROM sys.tables
-->                                             ^^^^^^^^^^
--> error: sys.tables can only be read by statements of their own, not in procedures and views [42000]
EXEC @Statistic TABLE 0;
--> LINE 1: EXEC @Statistic TABLE 0
-->              ^^^^^^^^^^
--> error: no procedure @Statistic; did you mean @Statistics? [42883]
EXEC @Statistics;
--> LINE 1: EXEC @Statistics
-->              ^^^^^^^^^^^
--> error: @Statistics takes 1 argument, not 0: @Statistics(selector [, delta]) [07001]
EXEC @Statistics PROCEDURES 0;
--> error: @Statistics has no selector PROCEDURES; did you mean PROCEDURE? There are TABLE, INDEX, PROCEDURE, PROCEDUREDETAIL, PROCEDUREPROFILE, PROCEDUREINPUT, PROCEDUREOUTPUT, INITIATOR, LATENCY, PARTITIONCOUNT, MEMORY, IDLETIME, QUEUE, PLANNER, TTL, MANAGEMENT [22023]
EXEC @Statistics TABLE 2;
--> error: the second argument of @Statistics is 0 (since the start) or 1 (since the last call), not 2 [22023]
EXEC @SystemCatalog column;
--> error: @SystemCatalog has no selector column; did you mean COLUMNS? There are TABLES, COLUMNS, INDEXINFO, PRIMARYKEYS, PROCEDURES, PROCEDURECOLUMNS, FUNCTIONS, TYPEINFO [22023]
EXEC @SystemInformation x;
--> error: @SystemInformation has no selector x; there are OVERVIEW, DEPLOYMENT [22023]
EXEC @GetPartitionKeys FLOAT;
--> error: @GetPartitionKeys has no type FLOAT; there are INTEGER, STRING, VARBINARY [22023]
EXEC @AdHoc '';
--> error: @AdHoc needs a statement, the text has none [42601]
EXEC @AdHoc 'SELECT 1; SELECT ?' 2;
--> error: @AdHoc takes values for ? with one statement only, the text has several [07001]
EXEC @AdHoc 'SELECT nothing FROM account';
--> error: no column nothing in account [42000]
EXEC @ExplainProc nope;
--> error: no procedure nope [42883]
EXEC @ExplainView account;
--> error: account is a table, not a view [42000]
EXEC @UpdateClasses;
--> error: there are no Java classes here to update: a procedure is SQL, so CREATE OR REPLACE PROCEDURE changes it, or CREATE PROCEDURE .. FROM CLASS x.Name with Name.sql among the procedures' files [0A000]
EXEC @SwapTables account rate;
--> error: account and rate cannot be swapped: there are views on account [42809]

-- Calls.
EXEC @Ping;
--> STATUS
--> 0
--> (1 rows)
EXEC @statistics partitioncount_;
--> error: @Statistics has no selector partitioncount_; did you mean PARTITIONCOUNT? There are TABLE, INDEX, PROCEDURE, PROCEDUREDETAIL, PROCEDUREPROFILE, PROCEDUREINPUT, PROCEDUREOUTPUT, INITIATOR, LATENCY, PARTITIONCOUNT, MEMORY, IDLETIME, QUEUE, PLANNER, TTL, MANAGEMENT [22023]
EXEC @AdHoc 5;
--> error: argument 1 of @AdHoc is text, not 5: @AdHoc(sql [, value for each ?]) [22018]
EXEC @GetPartitionKeys INTEGER;
--> PARTITION_ID | PARTITION_KEY
--> 0 | 0
--> 1 | 2
--> (2 rows)
EXEC @AdHoc 'SELECT id, owner FROM account ORDER BY id; SELECT COUNT(*) FROM rate';
--> id | owner
--> 1 | 'p'
--> 2 | 'p'
--> (2 rows)
--> C1
--> 0
--> (1 rows)
EXEC @Explain 'SELECT owner FROM account WHERE id = 1';
--> EXECUTION_PLAN
--> 'one partition: account.id = 1
--> Select account.owner
-->   Scan account [owner] by unique hash index pk_account: id = 1, in the partition of 1'
--> (1 rows)
EXEC @ExplainProc pay;
--> STATEMENT_NAME | SQL_STATEMENT | EXECUTION_PLAN
--> 'sql0' | 'INSERT INTO account VALUES (who, 'p', amount)' | 'one partition: account.id = $0
--> Insert into account ($0, 'p', $1)
-->   One row'
--> (1 rows)
EXEC @ExplainView owners;
--> TASK | EXECUTION_PLAN
--> 'Refresh MAX column "most"' | 'when the row with the value goes: an index of account on the groups and the column, or else a scan of the group'
--> (1 rows)
EXEC @SystemCatalog primarykeys;
--> TABLE_CAT | TABLE_SCHEM | TABLE_NAME | COLUMN_NAME | KEY_SEQ | PK_NAME
--> NULL | NULL | 'account' | 'id' | 1 | 'pk_account'
--> NULL | NULL | 'rate' | 'currency' | 1 | 'pk_rate'
--> (2 rows)
EXEC @SystemCatalog PROCEDURES;
--> PROCEDURE_CAT | PROCEDURE_SCHEM | PROCEDURE_NAME | RESERVED1 | RESERVED2 | RESERVED3 | REMARKS | PROCEDURE_TYPE | SPECIFIC_NAME
--> NULL | NULL | 'pay' | NULL | NULL | NULL | '{"readOnly":false,"singlePartition":true,"partitionParameter":0,"partitionParameterType":"BIGINT","compound":false}' | 0 | 'pay'
--> NULL | NULL | 'total' | NULL | NULL | NULL | '{"readOnly":true,"singlePartition":false,"compound":false}' | 0 | 'total'
--> (2 rows)
EXEC @Quiesce;
--> STATUS
--> 0
--> (1 rows)

-- Paused, only reads run.
EXEC @Pause;
--> STATUS
--> 0
--> (1 rows)
INSERT INTO rate VALUES ('EUR', 1);
--> error: the database is paused: it takes no changes until EXEC @Resume [25006]
EXEC pay 9 9;
--> error: the database is paused: it takes no changes until EXEC @Resume [25006]
CREATE TABLE later (a INTEGER);
--> error: the database is paused: it takes no changes until EXEC @Resume [25006]
EXEC total;
--> C1
--> 30.000000000000
--> (1 rows, all partitions)
SELECT COUNT(*) FROM account;
--> C1
--> 2
--> (1 rows, all partitions)
EXEC @Resume;
--> STATUS
--> 0
--> (1 rows)
EXEC pay 9 9;
--> no results, partition p0 (hash of who)

-- Two tables change their rows.
CREATE TABLE a (id BIGINT NOT NULL PRIMARY KEY, x VARCHAR(100));
--> table created
CREATE TABLE b (id BIGINT NOT NULL PRIMARY KEY, x VARCHAR(100));
--> table created
INSERT INTO a VALUES (1, 'one, which is so long that it does not lie in its row');
--> 1 modified, all partitions
INSERT INTO b VALUES (2, 'two'), (3, 'three');
--> 2 modified, all partitions
EXEC @SwapTables a b;
--> STATUS
--> 0
--> (1 rows)
SELECT * FROM a WHERE id = 3;
--> id | x
--> 3 | 'three'
--> (1 rows, partition p0)
SELECT * FROM b WHERE id = 1;
--> id | x
--> 1 | 'one, which is so long that it does not lie in its row'
--> (1 rows, partition p0)
INSERT INTO a VALUES (1, 'again');
--> 1 modified, all partitions
INSERT INTO b VALUES (1, 'twice');
--> error: duplicate key in b: pk_b already has id = 1 [23000]
SELECT * FROM a ORDER BY id;
--> id | x
--> 1 | 'again'
--> 2 | 'two'
--> 3 | 'three'
--> (3 rows, partition p0)
DELETE FROM b;
--> 1 modified, all partitions
