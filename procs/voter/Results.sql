-- Contestants by their votes, the leader first. Who has no vote yet is not listed.
CREATE PROCEDURE Results ()
AS BEGIN
  SELECT a.contestant_name AS contestant_name, a.contestant_number AS contestant_number,
         SUM(b.num_votes) AS total_votes
    FROM v_votes_by_contestant_number_state AS b
    JOIN contestants AS a ON a.contestant_number = b.contestant_number
   GROUP BY a.contestant_name, a.contestant_number
   ORDER BY total_votes DESC, contestant_number, contestant_name;
END;
