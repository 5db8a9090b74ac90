-- The states in which a contestant leads (where two are level, the lower number does), most votes first.
CREATE PROCEDURE ContestantWinningStates (contestant INTEGER, max_states INTEGER)
AS BEGIN
  SELECT state, num_votes
    FROM (SELECT contestant_number, state, num_votes,
                 ROW_NUMBER() OVER (PARTITION BY state ORDER BY num_votes DESC, contestant_number) AS place
            FROM v_votes_by_contestant_number_state) AS placed
   WHERE place = 1 AND contestant_number = :contestant
   ORDER BY num_votes DESC, state
   LIMIT max_states;
END;
