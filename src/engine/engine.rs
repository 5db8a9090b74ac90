//! Opens the database, and answers statements.

use super::durable::Durable;
use super::library::Library;
use super::plan_cache::PlanCache;
use super::{Config, OpenError, PARTITIONS_MAX, StatementError};
use crate::durability::{Clock, Definition, ReplayClock};
use crate::expr::convert_value;
use crate::initiator::Initiator;
use crate::partition::{Schema, TxnError};
use crate::planner::Environment;
use crate::procedure::{NativeDefinition, Procedure, defaults};
use crate::sql::ast::Statement;
use crate::sql::{Span, nearest, parse_all};
use crate::topology::PartitionId;
use crate::txn::Response;
use crate::types::{Arena, Datum, Frame, Name, ResultSet, Value};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;

/// A database.
pub struct Engine {
    pub(super) initiator: Initiator,
    /// The version that new work is compiled against; each site holds the one that it is at.
    pub(super) schema: RwLock<Arc<Schema>>,
    /// One schema change at a time.
    pub(super) changing: Mutex<()>,
    pub(super) library: RwLock<Library>,
    pub(super) plans: PlanCache,
    /// Tables' own procedures that somebody has asked for, of one catalog version.
    defaults: Mutex<(u64, HashMap<Name, Arc<Procedure>>)>,
    cancel: Arc<AtomicBool>,
    pub(super) clock: Arc<ReplayClock>,
    /// Every batch of definitions that took effect, in order.
    pub(super) history: Mutex<Vec<Definition>>,
    /// What native procedures of the data folder are.
    pub(super) natives: Vec<NativeDefinition>,
    pub(super) baselines: super::system::Baselines,
    /// What the configuration says, for @SystemInformation: name and value.
    pub(super) settings: Vec<(&'static str, String)>,
    /// Set if there is a data folder.
    pub(super) durable: Option<Durable>,
    /// Itself, for threads that must not keep it open.
    pub(super) me: OnceLock<Weak<Engine>>,
    /// Deletes rows whose time is over, once there is a table with a TTL.
    pub(super) expiry: Mutex<Option<JoinHandle<()>>>,
}

/// What a statement gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    pub results: Vec<ResultSet>,
    pub tag: Tag,
    /// In words: `partition p1 (hash of phone_number)`, `all partitions`; None for definitions.
    pub place: Option<String>,
    /// Things to know that are no errors.
    pub notes: Vec<String>,
}

/// The kind of answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Tag {
    Rows,
    /// Rows inserted, changed or deleted.
    Modified(i64),
    /// A definition took effect: `table created`.
    Done(String),
}

impl Engine {
    /// Opens a database: an empty one, or that of the data folder.
    pub fn open(config: Config) -> Result<Arc<Engine>, OpenError> {
        if !(1..=PARTITIONS_MAX as usize).contains(&config.partitions) {
            return Err(OpenError::Partitions { asked: config.partitions });
        }
        let cancel = Arc::new(AtomicBool::new(false));
        let clock = Arc::new(ReplayClock::new(config.platform.as_ref().map(|platform| Arc::clone(&platform.clock))));
        let shared: Arc<dyn Clock> = Arc::clone(&clock) as Arc<dyn Clock>;
        let initiator = Initiator::start(config.partitions as u32, &cancel, config.timeout, &shared);
        let mut engine = Engine {
            initiator: initiator.map_err(OpenError::Threads)?,
            schema: RwLock::default(),
            changing: Mutex::default(),
            library: RwLock::new(Library { folders: config.procedure_folders.clone(), attached: None }),
            plans: PlanCache::default(),
            defaults: Mutex::default(),
            cancel,
            clock,
            history: Mutex::default(),
            natives: config.native_procedures.clone(),
            baselines: Default::default(),
            settings: super::system::settings(&config),
            durable: None,
            me: OnceLock::new(),
            expiry: Mutex::default(),
        };
        engine.open_data(&config)?;
        // What is replayed at open is not counted.
        engine.initiator.count(config.statistics);
        let engine = Arc::new(engine);
        engine.start_snapshots(&config).map_err(OpenError::Threads)?;
        if config.platform.as_ref().is_none_or(|platform| platform.background) {
            engine.me.get_or_init(|| Arc::downgrade(&engine));
            engine.start_expiry();
        }
        Ok(engine)
    }

    pub fn initiator(&self) -> &Initiator {
        &self.initiator
    }
    /// While it is set, every transaction that runs long enough to look is ended.
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }
    /// The current version of everything.
    pub fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema.read())
    }
    /// Where FROM CLASS looks for procedures.
    pub fn set_procedure_folders(&self, folders: Vec<std::path::PathBuf>) {
        self.library.write().folders = folders;
    }

    /// The procedure of that name.
    pub fn procedure(&self, name: &str) -> Result<Arc<Procedure>, Box<TxnError>> {
        let schema = self.schema.read();
        let name = Name::new(name);
        if let Some(procedure) = schema.procedures.get(&name) {
            return Ok(Arc::clone(procedure));
        }
        if name.as_str().starts_with('@') {
            return self.system_procedure(&name);
        }
        if name.as_str().contains('.') {
            let schema = Arc::clone(&schema);
            return self.default_procedure(&schema, name);
        }
        let known = schema.procedures.keys().map(Name::as_str);
        let hint = nearest(name.as_str(), known).map_or(String::new(), |n| format!("; did you mean {n}?"));
        Err(Box::new(TxnError::UnknownProcedure { name, hint }))
    }

    /// One of a table's own, compiled when it is first asked for.
    fn default_procedure(&self, schema: &Schema, name: Name) -> Result<Arc<Procedure>, Box<TxnError>> {
        let mut cache = self.defaults.lock();
        let version = schema.catalog.version;
        if cache.0 != version {
            *cache = (version, HashMap::new());
        }
        if let Some(procedure) = cache.1.get(&name) {
            return Ok(Arc::clone(procedure));
        }
        match defaults::find(&schema.catalog, &name) {
            Ok(procedure) => {
                cache.1.insert(name, Arc::clone(&procedure));
                Ok(procedure)
            }
            Err(hint) => Err(Box::new(TxnError::UnknownProcedure { name, hint })),
        }
    }

    /// Arguments as datums of the parameters' types, appended to `out`; missing ones at the end take their defaults.
    #[inline]
    pub fn convert_arguments(
        procedure: &Procedure,
        arguments: &[Value],
        out: &mut Vec<Datum>,
        arena: &mut Arena,
    ) -> Result<(), Box<TxnError>> {
        let parameters = &procedure.definition.parameters;
        let defaults =
            || parameters.get(arguments.len()..).is_some_and(|rest| rest.iter().all(|p| p.default.is_some()));
        if arguments.len() != parameters.len() && !defaults() {
            return Err(argument_count(procedure, arguments.len()));
        }
        for (at, parameter) in parameters.iter().enumerate() {
            let value = arguments.get(at).or(parameter.default.as_ref()).expect("counted above");
            // An integer that fits needs no more than a look at its range.
            if let (Value::Int(v), Some((min, max))) = (value, parameter.ty.integer_range())
                && (min..=max).contains(v)
            {
                out.push(Datum::int(*v));
                continue;
            }
            let converted = convert_value(value, parameter.ty).map_err(|source| {
                Box::new(TxnError::Argument {
                    procedure: procedure.definition.name.clone(),
                    position: at + 1,
                    name: parameter.name.clone(),
                    ty: parameter.ty,
                    source: Box::new(source),
                })
            })?;
            out.push(store(&converted, arena));
        }
        Ok(())
    }

    /// Calls a procedure and waits for it.
    ///
    /// `scratch` keeps its memory from call to call.
    #[inline]
    pub fn call(
        &self,
        procedure: &mut Arc<Procedure>,
        arguments: &[Value],
        scratch: &mut (Vec<Datum>, Arena),
    ) -> Result<Response, Box<TxnError>> {
        if procedure.code.ops.is_empty() {
            return self.call_system(&procedure.definition.name, arguments);
        }
        let (datums, arena) = scratch;
        loop {
            datums.clear();
            arena.truncate(0);
            Engine::convert_arguments(procedure, arguments, datums, arena)?;
            match self.initiator.call(procedure, datums, arena) {
                Some(result) => return result,
                // The schema has moved on since the handle was made.
                None => *procedure = self.procedure(procedure.definition.name.as_str())?,
            }
        }
    }

    /// Runs one statement of any kind. Spans of errors are bytes of `text`.
    pub fn execute(&self, text: &str, arguments: &[Value]) -> Result<Executed, StatementError> {
        if let Some(done) = self.execute_cached(text, arguments) {
            return done;
        }
        if let Some(done) = self.maintain(text) {
            return done;
        }
        let parsed = parse_all(text)
            .map_err(|errors| StatementError::several(errors.into_iter().map(StatementError::from).collect()))?;
        match parsed {
            Statement::Ddl(_) => {
                let mut done = self.execute_batch(text).map_err(StatementError::several)?;
                let tag = done.tags.pop().unwrap_or_default();
                Ok(Executed { results: Vec::new(), tag: Tag::Done(tag), place: None, notes: done.notes })
            }
            Statement::Exec(exec) => self.exec(&exec, arguments),
            Statement::LoadProcedures { folder } => self.load_procedures(std::path::Path::new(&folder)),
            Statement::ExplainProcedure(name) => self.explain_procedure(&name),
            Statement::Trace(exec) => self.trace(&exec, arguments),
            Statement::Explain(statement) => self.explain(&statement),
            statement => self.execute_ad_hoc(text, &statement, arguments),
        }
    }

    fn explain(&self, statement: &Statement) -> Result<Executed, StatementError> {
        let schema = self.schema();
        let system = super::system::Tables::new(self);
        let env = Environment { system: Some(&system), ..Environment::ad_hoc(&schema.catalog) };
        let plan = crate::planner::plan_statement(statement, &env)?;
        let text = crate::planner::explain(&plan, &schema.catalog);
        let rows = text.lines().map(|line| vec![Value::from(line)]).collect();
        let columns =
            vec![crate::types::Column { name: "execution_plan".to_owned(), data_type: crate::types::DataType::TEXT }];
        Ok(Executed { results: vec![ResultSet { columns, rows }], tag: Tag::Rows, place: None, notes: Vec::new() })
    }

    /// Bytes that the tables of all partitions have allocated.
    pub fn memory_bytes(&self) -> u64 {
        self.initiator.hold_all().sites().map(|site| site.store.memory().total()).sum()
    }

    /// Rows of each table and view, over all partitions.
    pub fn row_counts(&self) -> Vec<(Name, u64)> {
        let mut all = self.initiator.hold_all();
        let schema = Arc::clone(&all.sites().next().expect("one partition at least").schema);
        schema
            .catalog
            .tables()
            .map(|table| {
                let rows = all.sites().map(|site| site.store.table(table.id).len() as u64);
                let rows = if table.spread { rows.sum() } else { rows.max().unwrap_or(0) };
                (table.name.clone(), rows)
            })
            .collect()
    }
}

/// What a call shows: its result sets; a scalar as a result set of one row, named like the procedure.
pub(super) fn results(procedure: &Procedure, response: Response) -> Vec<ResultSet> {
    let mut results = response.results;
    if let Some(ty) = procedure.code.returns {
        let name = procedure.definition.name.as_str().to_lowercase();
        results.push(ResultSet::scalar(&name, ty, response.returned));
    }
    results
}

pub(super) fn procedure_key(procedure: &Procedure) -> Option<&str> {
    match procedure.definition.partitioning {
        crate::catalog::ProcedurePartitioning::Single { parameter, .. } => {
            Some(procedure.definition.parameters[parameter].name.as_str())
        }
        _ => None,
    }
}

/// Where something ran, in words.
pub(super) fn place_of(partition: Option<PartitionId>, key: Option<&str>) -> String {
    match (partition, key) {
        (Some(id), Some(key)) => format!("partition {id} (hash of {key})"),
        (Some(id), None) => format!("partition {id}"),
        (None, _) => "all partitions".to_owned(),
    }
}

fn argument_count(procedure: &Procedure, received: usize) -> Box<TxnError> {
    let parameters = &procedure.definition.parameters;
    let list: Vec<String> = parameters.iter().map(|p| format!("{} {}", p.name, p.ty)).collect();
    Box::new(TxnError::ArgumentCount {
        procedure: procedure.definition.name.clone(),
        expected: parameters.len(),
        received,
        signature: format!("{}({})", procedure.definition.name, list.join(", ")),
    })
}

/// A value as a datum whose long bytes are in `arena`.
pub(super) fn store(value: &Value, arena: &mut Arena) -> Datum {
    match value {
        Value::Text(text) => arena.store(text.as_bytes()),
        Value::Bytes(bytes) => arena.store(bytes),
        Value::Array(values) => crate::types::array::store(values, arena),
        value => Frame::default().datum(value),
    }
}

impl StatementError {
    pub(super) fn unlocated(message: String) -> StatementError {
        StatementError::new(message, Span::NONE)
    }
}
