-- The voter example: three tables, two materialized views, five procedures.
-- Procedures come from procs/voter/*.sql (they are built in, too).

-- Contestants to be voted for.
CREATE TABLE contestants
(
  contestant_number INTEGER     NOT NULL
, contestant_name   VARCHAR(50) NOT NULL
, CONSTRAINT PK_contestants PRIMARY KEY (contestant_number)
);

-- Votes, valid ones only.
CREATE TABLE votes
(
  phone_number      BIGINT     NOT NULL
, state             VARCHAR(2) NOT NULL
, contestant_number INTEGER    NOT NULL
);

PARTITION TABLE votes ON COLUMN phone_number;

-- Which state an area code belongs to.
CREATE TABLE area_code_state
(
  area_code SMALLINT   NOT NULL
, state     VARCHAR(2) NOT NULL
, CONSTRAINT PK_area_code_state PRIMARY KEY (area_code)
);

-- Votes of each phone, to enforce the limit.
CREATE VIEW v_votes_by_phone_number (phone_number, num_votes)
AS SELECT phone_number, COUNT(*)
     FROM votes
    GROUP BY phone_number;

-- Votes by contestant and state, for the standings and the map.
CREATE VIEW v_votes_by_contestant_number_state (contestant_number, state, num_votes)
AS SELECT contestant_number, state, COUNT(*)
     FROM votes
    GROUP BY contestant_number, state;

CREATE PROCEDURE FROM CLASS voter.Initialize;
CREATE PROCEDURE FROM CLASS voter.Results;
CREATE PROCEDURE PARTITION ON TABLE votes COLUMN phone_number FROM CLASS voter.Vote;
CREATE PROCEDURE FROM CLASS voter.ContestantWinningStates;
CREATE PROCEDURE FROM CLASS voter.GetStateHeatmap;

EXEC Initialize 6 'Edwina Burnam,Tabatha Gehling,Kelly Clauss,Jessie Alloway,Alana Bregman,Jessie Eichman,Allie Rogalski,Nita Coster,Kurt Walser,Ericka Dieter,Loraine Nygren,Tania Mattioli';
