//! TATP: a home location register. Seven transactions on four tables, four fifths of them reads.
//!
//! The check: rows of call_forwarding are those loaded, plus the inserts and less the deletes that the clients were told of.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use crate::bench::random::Random;
use crate::bench::suite::work::{Worker, check, number};
use crate::client::{Database, Prepared};
use crate::types::Value;

/// Subscribers at scale 1.
const SUBSCRIBERS: f64 = 100_000.0;

const SCHEMA: &str = "
CREATE TABLE subscriber (s_id BIGINT NOT NULL PRIMARY KEY, sub_nbr VARCHAR(15) NOT NULL, bit_1 TINYINT NOT NULL,
  hex_1 TINYINT NOT NULL, byte2_1 SMALLINT NOT NULL, msc_location INTEGER NOT NULL, vlr_location INTEGER NOT NULL);
PARTITION TABLE subscriber ON COLUMN s_id;
CREATE TABLE access_info (s_id BIGINT NOT NULL, ai_type TINYINT NOT NULL, data1 SMALLINT NOT NULL,
  data2 SMALLINT NOT NULL, data3 VARCHAR(3) NOT NULL, data4 VARCHAR(5) NOT NULL, PRIMARY KEY (s_id, ai_type));
PARTITION TABLE access_info ON COLUMN s_id;
CREATE TABLE special_facility (s_id BIGINT NOT NULL, sf_type TINYINT NOT NULL, is_active TINYINT NOT NULL,
  error_cntrl SMALLINT NOT NULL, data_a SMALLINT NOT NULL, data_b VARCHAR(5) NOT NULL, PRIMARY KEY (s_id, sf_type));
PARTITION TABLE special_facility ON COLUMN s_id;
CREATE TABLE call_forwarding (s_id BIGINT NOT NULL, sf_type TINYINT NOT NULL, start_time TINYINT NOT NULL,
  end_time TINYINT NOT NULL, numberx VARCHAR(15) NOT NULL, PRIMARY KEY (s_id, sf_type, start_time));
PARTITION TABLE call_forwarding ON COLUMN s_id;

CREATE PROCEDURE PutSubscriber PARTITION ON TABLE subscriber COLUMN s_id PARAMETER 0
  AS INSERT INTO subscriber VALUES (?, ?, ?, ?, ?, ?, ?);
CREATE PROCEDURE PutAccess PARTITION ON TABLE access_info COLUMN s_id PARAMETER 0
  AS INSERT INTO access_info VALUES (?, ?, ?, ?, ?, ?);
CREATE PROCEDURE PutFacility PARTITION ON TABLE special_facility COLUMN s_id PARAMETER 0
  AS INSERT INTO special_facility VALUES (?, ?, ?, ?, ?, ?);

-- Each gives what it changed of the number of rows in call_forwarding; reads and changes of other tables give 0.
CREATE PROCEDURE GetSubscriberData (sid BIGINT) PARTITION ON TABLE subscriber COLUMN s_id RETURNS BIGINT
AS BEGIN
  SELECT * FROM subscriber WHERE s_id = sid;
  RETURN 0;
END;
CREATE PROCEDURE GetNewDestination (sid BIGINT, kind TINYINT, begins TINYINT, ends TINYINT)
  PARTITION ON TABLE special_facility COLUMN s_id RETURNS BIGINT
AS BEGIN
  SELECT cf.numberx FROM special_facility AS sf, call_forwarding AS cf
   WHERE sf.s_id = sid AND sf.sf_type = kind AND sf.is_active = 1 AND cf.s_id = sid AND cf.sf_type = kind
     AND cf.start_time <= begins AND cf.end_time > ends;
  RETURN 0;
END;
CREATE PROCEDURE GetAccessData (sid BIGINT, kind TINYINT) PARTITION ON TABLE access_info COLUMN s_id RETURNS BIGINT
AS BEGIN
  SELECT data1, data2, data3, data4 FROM access_info WHERE s_id = sid AND ai_type = kind;
  RETURN 0;
END;
CREATE PROCEDURE UpdateSubscriberData (sid BIGINT, onebit TINYINT, content SMALLINT, kind TINYINT)
  PARTITION ON TABLE subscriber COLUMN s_id RETURNS BIGINT
AS BEGIN
  UPDATE subscriber SET bit_1 = onebit WHERE s_id = sid;
  UPDATE special_facility SET data_a = content WHERE s_id = sid AND sf_type = kind;
  RETURN 0;
END;
CREATE PROCEDURE UpdateLocation (sid BIGINT, place INTEGER) PARTITION ON TABLE subscriber COLUMN s_id RETURNS BIGINT
AS BEGIN
  UPDATE subscriber SET vlr_location = place WHERE s_id = sid;
  RETURN 0;
END;
CREATE PROCEDURE InsertCallForwarding (sid BIGINT, kind TINYINT, begins TINYINT, ends TINYINT, target VARCHAR(15))
  PARTITION ON TABLE call_forwarding COLUMN s_id RETURNS BIGINT
AS BEGIN
  IF NOT EXISTS (SELECT * FROM special_facility WHERE s_id = sid AND sf_type = kind) THEN
    RETURN 0;
  END IF;
  IF EXISTS (SELECT * FROM call_forwarding WHERE s_id = sid AND sf_type = kind AND start_time = begins) THEN
    RETURN 0;
  END IF;
  INSERT INTO call_forwarding VALUES (sid, kind, begins, ends, target);
  RETURN 1;
END;
CREATE PROCEDURE DeleteCallForwarding (sid BIGINT, kind TINYINT, begins TINYINT)
  PARTITION ON TABLE call_forwarding COLUMN s_id RETURNS BIGINT
AS BEGIN
  IF NOT EXISTS (SELECT * FROM call_forwarding WHERE s_id = sid AND sf_type = kind AND start_time = begins) THEN
    RETURN 0;
  END IF;
  DELETE FROM call_forwarding WHERE s_id = sid AND sf_type = kind AND start_time = begins;
  RETURN 0 - 1;
END;";

/// A register, and what the clients were told.
pub struct Tatp {
    subscribers: u64,
    told: Arc<AtomicI64>,
}

fn int(n: u64) -> Value {
    Value::Int(n as i64)
}

fn number_of(subscriber: u64) -> Value {
    format!("{subscriber:015}").into()
}

impl Tatp {
    /// Creates the tables and fills them: 1 to 4 kinds of access and facilities a subscriber, 0 to 3 forwardings each.
    pub fn load(db: &Database, scale: f64, seed: u64) -> Result<Tatp, String> {
        db.execute_script(SCHEMA).map_err(|error| error.render(SCHEMA, None))?;
        let subscribers = ((SUBSCRIBERS * scale) as u64).max(10);
        let mut random = Random::stream(seed, u64::MAX - 1);
        let call = |name: &str| db.procedure(name).map_err(|error| error.to_string());
        let (mut put, mut access) = (call("PutSubscriber")?, call("PutAccess")?);
        let (mut facility, mut forward) = (call("PutFacility")?, call("InsertCallForwarding")?);
        let mut told = 0;
        for s in 1..=subscribers {
            let mut all = vec![int(s), number_of(s), int(random.below(2)), int(random.below(16))];
            all.extend([int(random.below(256)), int(random.below(1 << 30)), int(random.below(1 << 30))]);
            put.call(&all).map_err(|error| error.to_string())?;
            for kind in 1..=1 + random.below(4) {
                let data =
                    [int(s), int(kind), int(random.below(256)), int(random.below(256)), "ABC".into(), "ABCDE".into()];
                access.call(&data).map_err(|error| error.to_string())?;
            }
            for kind in 1..=1 + random.below(4) {
                let active = u64::from(random.below(100) < 85);
                let data =
                    [int(s), int(kind), int(active), int(random.below(256)), int(random.below(256)), "FGHIJ".into()];
                facility.call(&data).map_err(|error| error.to_string())?;
                for begins in 0..random.below(4) {
                    let ends = begins * 8 + 1 + random.below(8);
                    told += number(&mut forward, &[int(s), int(kind), int(begins * 8), int(ends), number_of(s)])?;
                }
            }
        }
        Ok(Tatp { subscribers, told: Arc::new(AtomicI64::new(told)) })
    }

    pub fn worker(&self, db: &Database, seed: u64, client: u64) -> Result<Box<dyn Worker>, String> {
        let names =
            ["GetSubscriberData", "GetNewDestination", "GetAccessData", "UpdateSubscriberData", "UpdateLocation"];
        let names = names.iter().chain(&["InsertCallForwarding", "DeleteCallForwarding"]);
        let calls = names.map(|name| db.procedure(name)).collect::<Result<Vec<_>, _>>();
        Ok(Box::new(Caller {
            calls: calls.map_err(|error| error.to_string())?,
            random: Random::stream(seed, client),
            subscribers: self.subscribers,
            change: 0,
            told: Arc::clone(&self.told),
        }))
    }

    /// The promises that the database broke.
    pub fn check(&self, db: &Database) -> Vec<String> {
        let mut broken = Vec::new();
        check(db, "SELECT COUNT(*) FROM call_forwarding", self.told.load(Relaxed), &mut broken);
        check(db, "SELECT COUNT(*) FROM subscriber", self.subscribers as i64, &mut broken);
        broken
    }
}

struct Caller {
    calls: Vec<Prepared>,
    random: Random,
    subscribers: u64,
    change: i64,
    told: Arc<AtomicI64>,
}

impl Worker for Caller {
    fn step(&mut self) -> Result<u64, String> {
        let random = &mut self.random;
        // Some subscribers are asked for much more often: two draws, their bits joined.
        let (a, b) = (random.below(65_536), 1 + random.below(self.subscribers));
        let s = (a | b) % self.subscribers + 1;
        let (kind, begins) = (int(1 + random.below(4)), random.below(3) * 8);
        let (call, arguments) = match random.below(100) {
            0..35 => (0, vec![int(s)]),
            35..45 => (1, vec![int(s), kind, int(begins), int(begins + random.below(8))]),
            45..80 => (2, vec![int(s), kind]),
            80..82 => (3, vec![int(s), int(random.below(2)), int(random.below(256)), kind]),
            82..96 => (4, vec![int(s), int(random.below(1 << 30))]),
            96..98 => (5, vec![int(s), kind, int(begins), int(begins + 1 + random.below(8)), number_of(s)]),
            _ => (6, vec![int(s), kind, int(begins)]),
        };
        self.change += number(&mut self.calls[call], &arguments)?;
        Ok(1)
    }

    fn finish(&mut self) -> Result<u64, String> {
        self.told.fetch_add(std::mem::take(&mut self.change), Relaxed);
        Ok(0)
    }
}
