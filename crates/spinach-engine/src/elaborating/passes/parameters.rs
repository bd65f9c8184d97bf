//! Orders modules canonically, finds their kinds and resolves their parameters.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use crate::contract::declaration::Declaration;
use crate::contract::parameter::ResolvedParameters;
use crate::describing::{Design, ElaborationError, ModuleDescription, Problems, suggest};
use crate::elaborating::kind::Library;
use crate::elaborating::netlist::{Domain, Netlist, Node};
use crate::ids::{Id, ModuleId};

/// The modules of a design ordered by name, numbers inside names by value, so that nothing that follows depends on the order
/// of description.
pub(super) fn canonical_order(design: &Design) -> Vec<ModuleId> {
    let mut order: Vec<(Vec<NamePart<'_>>, ModuleId)> =
        design.modules.iter().map(|(id, module)| (name_parts(&module.path), id)).collect();
    order.sort();
    order.into_iter().map(|(_, id)| id).collect()
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum NamePart<'a> {
    Number(u64, usize),
    Text(&'a str),
}

fn name_parts(path: &str) -> Vec<NamePart<'_>> {
    let mut parts = Vec::new();
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        match part.parse() {
            Ok(number) if is_digit => parts.push(NamePart::Number(number, part.len())),
            _ => parts.push(NamePart::Text(part)),
        }
        rest = after;
    }
    parts
}

pub(super) fn run(design: &Design, library: &impl Library) -> Result<Netlist, ElaborationError> {
    let mut problems = Problems::new("parameters");
    let mut netlist = Netlist {
        domains: design
            .domains
            .values()
            .map(|domain| Domain { name: domain.name.clone(), frequency: domain.frequency })
            .collect(),
        ..Netlist::default()
    };
    check_domains(design, &mut problems);
    let mut paths = BTreeMap::new();
    for id in canonical_order(design) {
        let module = &design.modules[id];
        let location = module.location.as_ref();
        if paths.insert(module.path.as_str(), id).is_some() {
            problems.report(
                location,
                format!("two modules are called {:?}", module.path),
                "give one of them another name",
            );
        }
        let Some(declaration) = library.declaration(&module.kind) else {
            let message = format!("{}: there is no kind of module called {:?}", module.path, module.kind);
            problems.report(location, message, suggest(&module.kind, library.names()));
            continue;
        };
        let parameters = resolve(module, declaration, &mut problems);
        netlist.modules.push(Node {
            path: module.path.clone(),
            declaration: Arc::clone(declaration),
            parameters,
            domains: Vec::new(),
            ports: declaration.ports.iter().map(|_| Vec::new()).collect(),
            location: module.location.clone(),
            kind: 0,
            instance: 0,
        });
    }
    problems.finish()?;
    Ok(netlist)
}

fn check_domains(design: &Design, problems: &mut Problems) {
    for (id, domain) in design.domains.iter() {
        if design.domains.values().take(id.index()).any(|earlier| earlier.name == domain.name) {
            let message = format!("two clock domains are called {:?}", domain.name);
            problems.report(domain.location.as_ref(), message, "give one of them another name");
        }
    }
}

fn resolve(
    module: &ModuleDescription,
    declaration: &Declaration,
    problems: &mut Problems,
) -> ResolvedParameters {
    let location = module.location.as_ref();
    let names = || declaration.parameters.iter().map(|parameter| parameter.name);
    for (name, _) in &module.parameters {
        if !names().any(|known| known == name) {
            let message = format!("{}: {} has no parameter {name:?}", module.path, module.kind);
            problems.report(location, message, suggest(name, names()));
        }
    }
    let mut values = Vec::with_capacity(declaration.parameters.len());
    for parameter in &declaration.parameters {
        let set =
            module.parameters.iter().rev().find(|(name, _)| name == parameter.name).map(|(_, value)| value);
        let Some(value) = set.or(parameter.default.as_ref()) else {
            let message =
                format!("{}: the parameter {} of {} must be set", module.path, parameter.name, module.kind);
            problems.report(location, message, format!("give {}", parameter.parameter_type.description()));
            continue;
        };
        if let Some(reason) = parameter.reject(value) {
            let message = format!("{}.{}: {reason}", module.path, parameter.name);
            problems.report(
                location,
                message,
                format!("{} takes {}", parameter.name, expectation(parameter)),
            );
        }
        values.push((parameter.name, value.clone()));
    }
    ResolvedParameters { values }
}

fn expectation(parameter: &crate::contract::parameter::ParameterDeclaration) -> String {
    let mut text = parameter.parameter_type.description().to_owned();
    if !parameter.documentation.is_empty() {
        let _ = write!(text, " ({})", parameter.documentation);
    }
    text
}

pub(super) fn dump(netlist: &Netlist) -> String {
    let mut text = String::new();
    for node in netlist.modules.values() {
        let _ = writeln!(text, "{}: {}", node.path, node.declaration.kind);
        for (name, value) in &node.parameters.values {
            let _ = writeln!(text, "  {name} = {value}");
        }
    }
    text
}

/// The id that each described module has in the netlist, where modules are in canonical order.
pub(super) fn netlist_ids(order: &[ModuleId]) -> Vec<ModuleId> {
    let mut ids = vec![ModuleId::from_index(0); order.len()];
    for (position, described) in order.iter().enumerate() {
        ids[described.index()] = ModuleId::from_index(position);
    }
    ids
}
