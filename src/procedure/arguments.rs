//! Which argument of a call is which parameter.

use crate::catalog::Parameter;
use crate::sql::nearest;
use crate::types::Name;

/// A call whose arguments do not fit the parameters.
#[derive(Debug, PartialEq)]
pub struct WrongArguments {
    pub message: String,
    /// The argument that is wrong, from 0; None: their number.
    pub argument: Option<usize>,
}

/// For each parameter the argument that it gets, or None for its default. `names`: what each argument names (`name =>`),
/// positional ones first.
pub fn arrange(
    procedure: &str,
    parameters: &[Parameter],
    names: &[Option<&Name>],
) -> Result<Vec<Option<usize>>, WrongArguments> {
    let mut order: Vec<Option<usize>> = vec![None; parameters.len()];
    for (at, name) in names.iter().enumerate() {
        let wrong = |message: String| Err(WrongArguments { message, argument: Some(at) });
        let place = match name {
            None if at < parameters.len() => at,
            None => return Err(count(procedure, parameters, names.len())),
            Some(name) => match parameters.iter().position(|p| p.name == **name) {
                Some(place) => place,
                None => {
                    let hint = nearest(name.as_str(), parameters.iter().map(|p| p.name.as_str()));
                    let hint = hint.map_or(String::new(), |hint| format!("; did you mean {hint}?"));
                    return wrong(format!("{procedure} has no parameter {name}{hint}"));
                }
            },
        };
        if order[place].replace(at).is_some() {
            return wrong(format!("parameter {} of {procedure} is given twice", parameters[place].name));
        }
    }
    let missing = order.iter().zip(parameters).find(|(at, p)| at.is_none() && p.default.is_none());
    match missing {
        None => Ok(order),
        Some(_) if names.iter().all(Option::is_none) => Err(count(procedure, parameters, names.len())),
        Some((_, parameter)) => Err(WrongArguments {
            message: format!("parameter {} of {procedure} is missing, and has no default", parameter.name),
            argument: None,
        }),
    }
}

fn count(procedure: &str, parameters: &[Parameter], received: usize) -> WrongArguments {
    let (expected, signature) = expected(procedure, parameters);
    let message = format!("{procedure} takes {expected}, not {received}: {signature}");
    WrongArguments { message, argument: None }
}

/// How many arguments it takes, as `3 arguments` or `1 to 3 arguments`, and its signature.
pub fn expected(procedure: &str, parameters: &[Parameter]) -> (String, String) {
    let shown = |p: &Parameter| match &p.default {
        Some(value) => format!("{} {} DEFAULT {value}", p.name, p.ty),
        None => format!("{} {}", p.name, p.ty),
    };
    let signature = format!("{procedure}({})", parameters.iter().map(shown).collect::<Vec<_>>().join(", "));
    let optional = parameters.iter().rev().take_while(|p| p.default.is_some()).count();
    let most = parameters.len();
    let number = match (most, optional) {
        (0, _) => "no arguments".to_owned(),
        (1, 0) => "1 argument".to_owned(),
        (_, 0) => format!("{most} arguments"),
        _ => format!("{} to {most} arguments", most - optional),
    };
    (number, signature)
}
