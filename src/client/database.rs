//! The handle of a database, and of a procedure.

use super::{Session, SessionOptions};
use crate::catalog::Catalog;
use crate::durability::{CheckReport, DurabilityError, RealDisk, SnapshotSummary};
use crate::engine::{Config, DataFolder, Engine, Executed, OpenError, StatementError};
use crate::partition::TxnError;
use crate::procedure::Procedure;
use crate::sql::split;
use crate::txn::Response;
use crate::types::{Arena, Datum, Name, ResultSet, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// An open database. Cloning gives another handle of the same one; the last to be dropped closes it.
///
/// ```
/// use votedb::{Config, Database, Value};
///
/// let db = Database::open(Config::partitions(2))?;
/// db.execute_script("CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(20));
///                    INSERT INTO t VALUES (1, 'one'), (2, 'two');")?;
/// let rows = db.query("SELECT name FROM t WHERE id = ?", &[Value::Int(2)])?.rows;
/// assert_eq!(rows, [[Value::from("two")]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Database {
    engine: Arc<Engine>,
}

impl Database {
    /// Opens an empty database in memory and starts its partitions.
    pub fn open(config: Config) -> Result<Database, OpenError> {
        Ok(Database { engine: Engine::open(config)? })
    }

    /// Opens a database with the voter schema, its procedures, and Initialize called for 6 contestants.
    pub fn open_voter(config: Config) -> Result<Database, Box<dyn std::error::Error + Send + Sync>> {
        let db = Database::open(config)?;
        db.execute_script(crate::engine::VOTER_SCHEMA)?;
        Ok(db)
    }

    /// Runs one statement of any kind: SQL with a value for each `?`, DDL, `EXEC name arguments`.
    ///
    /// A statement is a transaction. Errors carry the place in `text`.
    pub fn execute(&self, text: &str, parameters: &[Value]) -> Result<Executed, StatementError> {
        self.engine.execute(text, parameters)
    }

    /// The rows of a query. `parameters`: a value for each `?`.
    pub fn query(&self, sql: &str, parameters: &[Value]) -> Result<ResultSet, StatementError> {
        let executed = self.engine.execute(sql, parameters)?;
        Ok(executed.results.into_iter().next_back().unwrap_or_default())
    }

    /// Runs the statements of a script one after the other, each a transaction of its own, up to the first error, whose
    /// span is in `text`.
    pub fn execute_script(&self, text: &str) -> Result<Vec<Executed>, StatementError> {
        let pieces = split(text);
        let mut done = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let statement = &text[piece.span.start..piece.span.end];
            done.push(self.engine.execute(statement, &[]).map_err(|error| error.at(piece.span.start))?);
        }
        Ok(done)
    }

    /// Runs DDL statements as one batch: all or none. Gives notes, or every error that there is.
    pub fn execute_batch(&self, text: &str) -> Result<Vec<String>, Vec<StatementError>> {
        self.engine.execute_batch(text).map(|changed| changed.notes)
    }

    /// A handle to call a procedure with. It goes on to work when the schema changes, as long as the procedure exists.
    pub fn procedure(&self, name: &str) -> Result<Prepared, Box<TxnError>> {
        let procedure = self.engine.procedure(name)?;
        Ok(Prepared { procedure, engine: Arc::clone(&self.engine), scratch: Default::default() })
    }

    /// A session that keeps many calls in flight. Use one for each thread.
    pub fn session(&self, options: SessionOptions) -> Session {
        Session::new(Arc::clone(&self.engine), options)
    }

    /// While it is set, transactions that run for longer than a moment are ended and rolled back.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(self.engine.cancel_flag())
    }
    /// Where `CREATE PROCEDURE .. FROM CLASS x.Name` looks for `Name.sql`.
    pub fn set_procedure_folders(&self, folders: Vec<PathBuf>) {
        self.engine.set_procedure_folders(folders);
    }

    /// What was found when the data folder was opened; None: everything is in memory.
    pub fn data_folder(&self) -> Option<&DataFolder> {
        self.engine.data_folder()
    }
    /// Takes a snapshot into the data folder now, while work goes on; older snapshots and log go.
    pub fn snapshot(&self) -> Result<SnapshotSummary, StatementError> {
        self.engine.snapshot()
    }
    /// Waits until everything that has committed is on disk.
    pub fn flush_log(&self) -> Result<(), StatementError> {
        self.engine.flush_log()
    }
    /// Bytes that the log has grown by since the database was opened, and the number of syncs.
    pub fn log_written(&self) -> (u64, u64) {
        self.engine.initiator().log().map_or((0, 0), |log| (log.bytes_written(), log.syncs()))
    }
    /// Looks at every file of a data folder that nobody has open, and changes nothing.
    pub fn check(folder: &Path) -> Result<CheckReport, DurabilityError> {
        let error = |e| DurabilityError::io("open the folder", folder.display().to_string(), e);
        crate::durability::check(&RealDisk::existing(folder).map_err(error)?)
    }

    pub fn partitions(&self) -> usize {
        self.engine.initiator().partitions().len()
    }
    /// The partition that owns an integer key, from 0.
    pub fn partition_of(&self, key: i64) -> usize {
        self.engine.initiator().hashinator().of_integer(key).index()
    }
    /// Calls that wait in a partition's inbox.
    pub fn queue_depth(&self, partition: usize) -> usize {
        self.engine.initiator().partitions()[partition].queued()
    }
    /// Nanoseconds that a partition has spent in transactions since the start.
    pub fn busy_ns(&self, partition: usize) -> u64 {
        self.engine.initiator().partitions()[partition].busy_ns()
    }
    /// What the database contains, as data.
    pub fn catalog(&self) -> Catalog {
        self.engine.schema().catalog.clone()
    }
    /// The compiled form of a procedure, as text.
    pub fn procedure_listing(&self, name: &str) -> Result<String, Box<TxnError>> {
        Ok(crate::procedure::listing(&*self.engine.procedure(name)?))
    }
    /// Rows of each table and view.
    pub fn row_counts(&self) -> Vec<(Name, u64)> {
        self.engine.row_counts()
    }
    /// Bytes that all tables of all partitions have allocated: rows, indexes, long strings.
    pub fn memory_bytes(&self) -> u64 {
        self.engine.memory_bytes()
    }
}

/// A procedure, ready to be called: names are resolved, arguments only need to be converted.
#[derive(Clone)]
pub struct Prepared {
    pub(super) engine: Arc<Engine>,
    pub(super) procedure: Arc<Procedure>,
    scratch: (Vec<Datum>, Arena),
}

impl Prepared {
    /// Calls it and waits for its answer: on the calling thread, if the partition is idle.
    ///
    /// Fails, with nothing changed, if the arguments do not fit or the procedure does.
    #[inline]
    pub fn call(&mut self, arguments: &[Value]) -> Result<Response, Box<TxnError>> {
        self.engine.call(&mut self.procedure, arguments, &mut self.scratch)
    }

    pub fn name(&self) -> &str {
        self.procedure.definition.name.as_str()
    }
}
