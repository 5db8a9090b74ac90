//! A catalog from text, and plans of text, for the tests of this room.

use super::environment::{Environment, Variable};
use super::{BindError, ddl, explain, plan_statement};
use crate::catalog::Catalog;
use crate::sql::ast::Statement;
use crate::sql::{parse_script, parse_statement};

/// Tables that the tests know.
pub(super) const SCHEMA: &str = "
CREATE TABLE contestants (contestant_number INTEGER NOT NULL, contestant_name VARCHAR(50) NOT NULL,
  CONSTRAINT pk_contestants PRIMARY KEY (contestant_number));
CREATE TABLE votes (phone_number BIGINT NOT NULL, state VARCHAR(2) NOT NULL, contestant_number INTEGER NOT NULL);
PARTITION TABLE votes ON COLUMN phone_number;
CREATE TABLE area_code_state (area_code SMALLINT NOT NULL, state VARCHAR(2) NOT NULL, PRIMARY KEY (area_code));
CREATE VIEW v_votes_by_phone_number (phone_number, num_votes) AS
  SELECT phone_number, COUNT(*) FROM votes GROUP BY phone_number;
CREATE VIEW v_votes_by_contestant_number_state (contestant_number, state, num_votes) AS
  SELECT contestant_number, state, COUNT(*) FROM votes GROUP BY contestant_number, state;
CREATE VIEW totals AS SELECT COUNT(*) AS n, MAX(phone_number) AS top FROM votes;
CREATE TABLE customers (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(20), balance DECIMAL, region VARCHAR(8));
PARTITION TABLE customers ON COLUMN id;
CREATE TABLE orders (id BIGINT NOT NULL, customer_id BIGINT NOT NULL, amount DECIMAL NOT NULL, placed TIMESTAMP,
  note VARCHAR(10) DEFAULT 'none', created TIMESTAMP DEFAULT NOW NOT NULL, PRIMARY KEY (customer_id, id));
PARTITION TABLE orders ON COLUMN customer_id;
CREATE TABLE t (a INTEGER NOT NULL, b BIGINT, c VARCHAR(10), d DECIMAL, f FLOAT, ts TIMESTAMP);
CREATE INDEX t_a_b ON t (a, b);
CREATE INDEX t_c ON t (c);
CREATE INDEX t_expr ON t (b + 1);
CREATE INDEX t_part ON t (d) WHERE a > 100;
CREATE TABLE u (a INTEGER NOT NULL, x BIGINT, c VARCHAR(10), UNIQUE (x));
";

pub(super) fn catalog_of(script: &str) -> Catalog {
    let mut catalog = Catalog::default();
    add(&mut catalog, script);
    catalog
}

pub(super) fn add(catalog: &mut Catalog, script: &str) {
    let (statements, errors) = parse_script(script);
    assert!(errors.is_empty(), "{errors:?}");
    for (statement, _) in statements {
        let Statement::Ddl(ddl) = statement else { panic!("no DDL: {statement:?}") };
        ddl::apply(catalog, &ddl, script).unwrap_or_else(|error| panic!("{error} at {:?}", error.span));
    }
}

pub(super) fn try_plan(catalog: &Catalog, variables: &[Variable], sql: &str) -> Result<String, BindError> {
    let statement = parse_statement(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let first_register = variables.iter().map(|v| v.reg + 1).max().unwrap_or(0);
    let mut env = Environment { variables, first_register, ..Environment::ad_hoc(catalog) };
    env.placeholders.base = first_register;
    plan_statement(&statement, &env).map(|plan| explain(&plan, catalog))
}
