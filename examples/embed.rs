//! The voter database inside a program: one call at a time, then many in flight.

use votedb::{Config, Database, SessionOptions, Value};

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let db = Database::open_voter(Config::partitions(2))?;
    let mut vote = db.procedure("Vote")?;
    let answer = vote.call(&[Value::Int(5085551234), Value::Int(3), Value::Int(2)])?;
    println!("Vote answered {}", answer.returned);

    let mut session = db.session(SessionOptions::default());
    for phone in 5085550000..5085551000i64 {
        session.submit(&vote, &[Value::Int(phone), Value::Int(3), Value::Int(2)], phone as u64)?;
    }
    session.drain(|phone, answer| assert!(answer.is_ok(), "{phone}"));
    for row in db.query("SELECT state, num_votes FROM v_votes_by_contestant_number_state", &[])?.rows {
        println!("{}: {} votes", row[0], row[1]);
    }
    Ok(())
}
