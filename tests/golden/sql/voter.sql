-- VoltDB's own voter script: drops, tables, classes, procedures, in three batches.
--: batch
DROP PROCEDURE Initialize IF EXISTS;
DROP PROCEDURE Results IF EXISTS;
DROP PROCEDURE Vote IF EXISTS;
DROP PROCEDURE ContestantWinningStates IF EXISTS;
DROP PROCEDURE GetStateHeatmap IF EXISTS;
DROP VIEW v_votes_by_phone_number IF EXISTS;
DROP VIEW v_votes_by_contestant_number_state IF EXISTS;
DROP TABLE contestants IF EXISTS;
DROP TABLE votes IF EXISTS;
DROP TABLE area_code_state IF EXISTS;
--: end
--> batch done
--> note: there is no procedure Initialize
--> note: there is no procedure Results
--> note: there is no procedure Vote
--> note: there is no procedure ContestantWinningStates
--> note: there is no procedure GetStateHeatmap
--> note: there is no view v_votes_by_phone_number
--> note: there is no view v_votes_by_contestant_number_state
--> note: there is no table contestants
--> note: there is no table votes
--> note: there is no table area_code_state
--: batch
CREATE TABLE contestants
(
  contestant_number integer     NOT NULL
, contestant_name   varchar(50) NOT NULL
, CONSTRAINT PK_contestants PRIMARY KEY
  (
    contestant_number
  )
);
CREATE TABLE votes
(
  phone_number       bigint     NOT NULL
, state              varchar(2) NOT NULL
, contestant_number  integer    NOT NULL
);
PARTITION TABLE votes ON COLUMN phone_number;
CREATE TABLE area_code_state
(
  area_code smallint   NOT NULL
, state     varchar(2) NOT NULL
, CONSTRAINT PK_area_code_state PRIMARY KEY
  (
    area_code
  )
);
CREATE VIEW v_votes_by_phone_number
(
  phone_number
, num_votes
)
AS
   SELECT phone_number
        , COUNT(*)
     FROM votes
 GROUP BY phone_number
;
CREATE VIEW v_votes_by_contestant_number_state
(
  contestant_number
, state
, num_votes
)
AS
   SELECT contestant_number
        , state
        , COUNT(*)
     FROM votes
 GROUP BY contestant_number
        , state
;
--: end
--> batch done
LOAD CLASSES voter-procs.jar;
--> classes not needed
--> note: procedures come from .sql files in procs/, not from classes: nothing was loaded
--: batch
CREATE PROCEDURE FROM CLASS voter.Initialize;
CREATE PROCEDURE FROM CLASS voter.Results;
CREATE PROCEDURE PARTITION ON TABLE votes COLUMN phone_number FROM CLASS voter.Vote;
CREATE PROCEDURE FROM CLASS voter.ContestantWinningStates;
CREATE PROCEDURE FROM CLASS voter.GetStateHeatmap;
--: end
--> batch done
-- More contestants than names: nothing stays.
EXEC Initialize 3 'Edwina Burnam,Tabatha Gehling';
--> error: fewer names than contestants (Initialize, line 19) [22023]
SELECT COUNT(*) FROM contestants;
--> C1
--> 0
--> (1 rows, partition p0)
EXEC Initialize 3 'Edwina Burnam,Tabatha Gehling,Kelly Clauss,Jessie Alloway';
--> initialize
--> 3
--> (1 rows, all partitions)
EXEC Initialize 4 'Edwina Burnam,Tabatha Gehling,Kelly Clauss,Jessie Alloway';
--> initialize
--> 3
--> (1 rows, all partitions)
SELECT * FROM contestants ORDER BY contestant_number;
--> contestant_number | contestant_name
--> 1 | 'Edwina Burnam'
--> 2 | 'Tabatha Gehling'
--> 3 | 'Kelly Clauss'
--> (3 rows, partition p0)
SELECT COUNT(*), COUNT(DISTINCT state) FROM area_code_state;
--> C1 | C2
--> 305 | 51
--> (1 rows, partition p0)
-- 508 is in MA; a phone has two votes; an unknown contestant comes first.
EXEC Vote 5085551234 3 2;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 5085551234 3 2;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 5085551234 3 2;
--> vote
--> 2
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 5085551234 999 2;
--> vote
--> 1
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 5085551234 0 2;
--> vote
--> 1
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 5085551234 3 3;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
-- An area code that isn't known.
EXEC Vote 1005551234 1 2;
--> vote
--> 0
--> (1 rows, partition p0 (hash of phone))
EXEC Vote 2125551234 1 2;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 2125550000 2 2;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 4155550000 2 2;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 4155550001 1 2;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
EXEC Vote 4155550002 1 2;
--> vote
--> 0
--> (1 rows, partition p1 (hash of phone))
SELECT * FROM votes ORDER BY phone_number, contestant_number;
--> phone_number | state | contestant_number
--> 1005551234 | 'XX' | 1
--> 2125550000 | 'NY' | 2
--> 2125551234 | 'NY' | 1
--> 4155550000 | 'CA' | 2
--> 4155550001 | 'CA' | 1
--> 4155550002 | 'CA' | 1
--> 5085551234 | 'MA' | 3
--> 5085551234 | 'MA' | 3
--> 5085551234 | 'MA' | 3
--> (9 rows, all partitions)
SELECT * FROM v_votes_by_phone_number ORDER BY phone_number;
--> phone_number | num_votes
--> 1005551234 | 1
--> 2125550000 | 1
--> 2125551234 | 1
--> 4155550000 | 1
--> 4155550001 | 1
--> 4155550002 | 1
--> 5085551234 | 3
--> (7 rows, all partitions)
SELECT * FROM v_votes_by_contestant_number_state ORDER BY contestant_number, state;
--> contestant_number | state | num_votes
--> 1 | 'CA' | 2
--> 1 | 'NY' | 1
--> 1 | 'XX' | 1
--> 2 | 'CA' | 1
--> 2 | 'NY' | 1
--> 3 | 'MA' | 3
--> (6 rows, all partitions)
EXEC Results;
--> contestant_name | contestant_number | total_votes
--> 'Edwina Burnam' | 1 | 4
--> 'Kelly Clauss' | 3 | 3
--> 'Tabatha Gehling' | 2 | 2
--> (3 rows, all partitions)
EXEC GetStateHeatmap;
--> contestant_number | state | num_votes
--> 1 | 'CA' | 2
--> 3 | 'MA' | 3
--> 1 | 'NY' | 1
--> 2 | 'NY' | 1
--> 1 | 'XX' | 1
--> (5 rows, all partitions)
--> contestant_number | num_votes
--> 1 | 4
--> 2 | 2
--> 3 | 3
--> (3 rows, all partitions)
EXEC ContestantWinningStates 1 10;
--> state | num_votes
--> 'CA' | 2
--> 'NY' | 1
--> 'XX' | 1
--> (3 rows, all partitions)
EXEC ContestantWinningStates 1 1;
--> state | num_votes
--> 'CA' | 2
--> (1 rows, all partitions)
EXEC ContestantWinningStates 2 10;
--> state | num_votes
--> (0 rows, all partitions)
EXEC ContestantWinningStates 3 10;
--> state | num_votes
--> 'MA' | 3
--> (1 rows, all partitions)
-- Wrong calls.
EXEC Vote 5085551234 3;
--> LINE 1: EXEC Vote 5085551234 3
-->              ^^^^
--> error: Vote takes 3 arguments, not 2: Vote(phone BIGINT, contestant INTEGER, max_votes BIGINT) [07001]
EXEC Vote 'five' 3 2;
--> LINE 1: EXEC Vote 'five' 3 2
-->                   ^^^^^^
--> error: argument 1 of Vote (phone BIGINT): value five of type VARCHAR is not a match or out of range for type BIGINT [22018]
EXEC Vot 5085551234 3 2;
--> LINE 1: EXEC Vot 5085551234 3 2
-->              ^^^
--> error: no procedure Vot; did you mean Vote? [42883]
EXEC Vote NULL 3 2;
--> error: column phone_number of votes must not be NULL (Vote, line 16) [23000]
-- The script again, over what is there.
--: batch
DROP PROCEDURE Initialize IF EXISTS;
DROP PROCEDURE Results IF EXISTS;
DROP PROCEDURE Vote IF EXISTS;
DROP PROCEDURE ContestantWinningStates IF EXISTS;
DROP PROCEDURE GetStateHeatmap IF EXISTS;
DROP VIEW v_votes_by_phone_number IF EXISTS;
DROP VIEW v_votes_by_contestant_number_state IF EXISTS;
DROP TABLE contestants IF EXISTS;
DROP TABLE votes IF EXISTS;
DROP TABLE area_code_state IF EXISTS;
--: end
--> batch done
SELECT COUNT(*) FROM votes;
--> LINE 1: SELECT COUNT(*) FROM votes
-->                              ^^^^^
--> error: no table or view votes [42000]
EXEC Vote 5085551234 3 2;
--> LINE 1: EXEC Vote 5085551234 3 2
-->              ^^^^
--> error: no procedure Vote [42883]
CREATE PROCEDURE FROM CLASS voter.Nothing;
--> LINE 1: CREATE PROCEDURE FROM CLASS voter.Nothing
-->                                     ^^^^^^^^^^^^^
--> error: no file Nothing.sql among the procedures [42000]
