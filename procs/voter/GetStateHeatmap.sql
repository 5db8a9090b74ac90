-- For a map: who leads in each state (several, if they are level), and the votes of each contestant over all states.
CREATE PROCEDURE GetStateHeatmap ()
AS BEGIN
  SELECT contestant_number, state, num_votes
    FROM (SELECT contestant_number, state, num_votes,
                 RANK() OVER (PARTITION BY state ORDER BY num_votes DESC) AS vote_rank
            FROM v_votes_by_contestant_number_state) AS ranked
   WHERE vote_rank = 1
   ORDER BY state, contestant_number;

  SELECT contestant_number, SUM(num_votes) AS num_votes
    FROM v_votes_by_contestant_number_state
   GROUP BY contestant_number
   ORDER BY contestant_number;
END;
