//! SmallBank: customers with a savings and a checking account; six short transactions, two of them over two customers.
//!
//! The check: all money that is there is what was there, plus deposits, less withdrawals that the clients were told of.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use crate::bench::random::Random;
use crate::bench::suite::work::{Worker, check, number};
use crate::client::{Database, Prepared};
use crate::types::Value;

/// Customers at scale 1.
const CUSTOMERS: f64 = 100_000.0;
/// Cents on each account at first.
const OPENING: i64 = 1_000_000;

const SCHEMA: &str = "
CREATE TABLE savings (custid BIGINT NOT NULL PRIMARY KEY, bal BIGINT NOT NULL);
PARTITION TABLE savings ON COLUMN custid;
CREATE TABLE checking (custid BIGINT NOT NULL PRIMARY KEY, bal BIGINT NOT NULL);
PARTITION TABLE checking ON COLUMN custid;

CREATE PROCEDURE OpenAccounts (cust BIGINT, cents BIGINT) PARTITION ON TABLE savings COLUMN custid RETURNS BIGINT
AS BEGIN
  INSERT INTO savings VALUES (cust, cents);
  INSERT INTO checking VALUES (cust, cents);
  RETURN 2 * cents;
END;

-- Each gives the change of all money.
CREATE PROCEDURE Balance (cust BIGINT) PARTITION ON TABLE savings COLUMN custid RETURNS BIGINT
AS BEGIN
  RETURN 0 * ((SELECT bal FROM savings WHERE custid = cust) + (SELECT bal FROM checking WHERE custid = cust));
END;
CREATE PROCEDURE DepositChecking (cust BIGINT, amount BIGINT) PARTITION ON TABLE checking COLUMN custid RETURNS BIGINT
AS BEGIN
  UPDATE checking SET bal = bal + amount WHERE custid = cust;
  RETURN amount;
END;
CREATE PROCEDURE TransactSavings (cust BIGINT, amount BIGINT) PARTITION ON TABLE savings COLUMN custid RETURNS BIGINT
AS BEGIN
  IF (SELECT bal FROM savings WHERE custid = cust) < amount THEN
    RETURN 0;
  END IF;
  UPDATE savings SET bal = bal - amount WHERE custid = cust;
  RETURN 0 - amount;
END;
CREATE PROCEDURE WriteCheck (cust BIGINT, amount BIGINT) PARTITION ON TABLE checking COLUMN custid RETURNS BIGINT
AS BEGIN
  DECLARE total BIGINT;
  SET total = (SELECT bal FROM savings WHERE custid = cust) + (SELECT bal FROM checking WHERE custid = cust);
  IF total < amount THEN
    UPDATE checking SET bal = bal - amount - 100 WHERE custid = cust;
    RETURN 0 - amount - 100;
  END IF;
  UPDATE checking SET bal = bal - amount WHERE custid = cust;
  RETURN 0 - amount;
END;
CREATE PROCEDURE SendPayment (giver BIGINT, taker BIGINT, amount BIGINT) RETURNS BIGINT
AS BEGIN
  IF (SELECT bal FROM checking WHERE custid = giver) < amount THEN
    RETURN 0;
  END IF;
  UPDATE checking SET bal = bal - amount WHERE custid = giver;
  UPDATE checking SET bal = bal + amount WHERE custid = taker;
  RETURN 0;
END;
CREATE PROCEDURE Amalgamate (giver BIGINT, taker BIGINT) RETURNS BIGINT
AS BEGIN
  DECLARE total BIGINT;
  SET total = (SELECT bal FROM savings WHERE custid = giver) + (SELECT bal FROM checking WHERE custid = giver);
  UPDATE savings SET bal = 0 WHERE custid = giver;
  UPDATE checking SET bal = 0 WHERE custid = giver;
  UPDATE checking SET bal = bal + total WHERE custid = taker;
  RETURN 0;
END;";

/// A bank, and what the clients were told.
pub struct SmallBank {
    customers: u64,
    told: Arc<AtomicI64>,
}

impl SmallBank {
    /// Creates the tables and opens all accounts.
    pub fn load(db: &Database, scale: f64) -> Result<SmallBank, String> {
        db.execute_script(SCHEMA).map_err(|error| error.render(SCHEMA, None))?;
        let customers = ((CUSTOMERS * scale) as u64).max(10);
        let mut open = db.procedure("OpenAccounts").map_err(|error| error.to_string())?;
        let mut told = 0;
        for customer in 0..customers {
            told += number(&mut open, &[Value::Int(customer as i64), Value::Int(OPENING)])?;
        }
        Ok(SmallBank { customers, told: Arc::new(AtomicI64::new(told)) })
    }

    pub fn worker(&self, db: &Database, seed: u64, client: u64) -> Result<Box<dyn Worker>, String> {
        let names = ["Balance", "DepositChecking", "TransactSavings", "WriteCheck", "SendPayment", "Amalgamate"];
        let calls = names.iter().map(|name| db.procedure(name)).collect::<Result<Vec<_>, _>>();
        Ok(Box::new(Teller {
            calls: calls.map_err(|error| error.to_string())?,
            random: Random::stream(seed, client),
            customers: self.customers,
            change: 0,
            told: Arc::clone(&self.told),
        }))
    }

    /// The promises that the database broke.
    pub fn check(&self, db: &Database) -> Vec<String> {
        let mut broken = Vec::new();
        let sum = |sql| crate::bench::suite::work::scalar(db, sql);
        match (sum("SELECT SUM(bal) FROM savings"), sum("SELECT SUM(bal) FROM checking")) {
            (Ok(savings), Ok(checking)) if savings + checking == self.told.load(Relaxed) => {}
            (savings, checking) => broken.push(format!(
                "{savings:?} on savings and {checking:?} on checking accounts, but the clients were told of {} cents",
                self.told.load(Relaxed)
            )),
        }
        check(db, "SELECT COUNT(*) FROM savings", self.customers as i64, &mut broken);
        broken
    }
}

struct Teller {
    calls: Vec<Prepared>,
    random: Random,
    customers: u64,
    /// What this client's calls have changed of all money.
    change: i64,
    told: Arc<AtomicI64>,
}

impl Worker for Teller {
    fn step(&mut self) -> Result<u64, String> {
        let customer = self.random.below(self.customers);
        let other = (customer + 1 + self.random.below(self.customers - 1)) % self.customers;
        let (customer, other) = (Value::Int(customer as i64), Value::Int(other as i64));
        let cents = Value::Int(100 + self.random.below(5_000) as i64);
        // The mix: a quarter payments, the rest evenly.
        let (call, arguments) = match self.random.below(100) {
            0..15 => (0, vec![customer]),
            15..30 => (1, vec![customer, cents]),
            30..45 => (2, vec![customer, cents]),
            45..60 => (3, vec![customer, cents]),
            60..85 => (4, vec![customer, other, cents]),
            _ => (5, vec![customer, other]),
        };
        self.change += number(&mut self.calls[call], &arguments)?;
        Ok(1)
    }

    fn finish(&mut self) -> Result<u64, String> {
        self.told.fetch_add(std::mem::take(&mut self.change), Relaxed);
        Ok(0)
    }
}
