-- One vote: 0 = counted, 1 = there is no such contestant, 2 = this phone has all its votes.
-- The order of the checks matters: an unknown contestant is told even to a phone that has no votes left.
CREATE PROCEDURE Vote (phone BIGINT, contestant INTEGER, max_votes BIGINT)
  PARTITION ON TABLE votes COLUMN phone_number
  RETURNS BIGINT
AS BEGIN
  IF NOT EXISTS (SELECT * FROM contestants WHERE contestant_number = :contestant) THEN
    RETURN 1;
  END IF;

  IF (SELECT num_votes FROM v_votes_by_phone_number WHERE phone_number = phone) >= max_votes THEN
    RETURN 2;
  END IF;

  -- Area codes that are not listed vote for the state XX.
  INSERT INTO votes (phone_number, state, contestant_number)
  VALUES (phone, COALESCE((SELECT state FROM area_code_state WHERE area_code = phone / 10000000), 'XX'), contestant);
  RETURN 0;
END;
