//! The modules of every crate form layers: no top-level module depends, however indirectly, on one that depends on it.
//!
//! Dependencies are read from the source: every path from the crate's root (`crate::module::...`, `use crate::{...}`, and
//! `super::module` in a top-level module). A name that the root re-exports counts as the module that it comes from. Tests
//! count as well.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_modules_of_a_crate_depend_on_each_other_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut circles = Vec::new();
    let mut seen = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            seen += 1;
            circles.extend(circle(&dependencies(&source)).map(|c| format!("{}: {c}", source.display())));
        }
    }
    assert!(seen >= 6, "found the crates");
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let root = "mod a;\nmod b;\npub use b::{Thing, other as Renamed};\n";
    let paths = |code: &str| -> Vec<String> { root_names(code, true) };
    assert_eq!(paths("use crate::a::X; // crate::b"), ["a"]);
    assert_eq!(
        paths("use crate::{a::{C, D}, b, Thing};\nlet x = crate::a::f(super::b::g());"),
        ["a", "b", "Thing", "a", "b"]
    );
    assert_eq!(exports(root), BTreeMap::from([("Thing".into(), "b".into()), ("Renamed".into(), "b".into())]));
    let graph = |edges: &[(&str, &str)]| -> Graph {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])), Some("b -> c -> b".into()));
}

/// What each top-level module of a crate depends on.
fn dependencies(source: &Path) -> Graph {
    let root = fs::read_to_string(source.join("lib.rs")).unwrap();
    let exports = exports(&root);
    let mut graph = Graph::new();
    for file in files(source) {
        let within = file.strip_prefix(source).unwrap();
        let first = within.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let top = within == Path::new(first) || within == Path::new(module).join("mod.rs");
        graph.entry(module.to_owned()).or_default().extend(
            root_names(&fs::read_to_string(&file).unwrap(), top)
                .into_iter()
                .map(|name| exports.get(&name).cloned().unwrap_or(name)),
        );
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, names) in &mut graph {
        names.retain(|name| name != module && modules.contains(name));
    }
    graph
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// Names that a root file re-exports, each with the module that it comes from.
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in root.split(';').filter_map(|s| s.split_once("pub use ")) {
        let Some((module, names)) = statement.1.split_once("::") else { continue };
        for name in names.trim_matches(['{', '}']).split(',') {
            let name = name.rsplit([' ', ':']).find(|part| !part.is_empty());
            exports.extend(name.map(|name| (name.trim().to_owned(), module.trim().to_owned())));
        }
    }
    exports
}

/// First names of all paths from the crate's root in `code`, of a top-level module or of one below.
fn root_names(code: &str, top: bool) -> Vec<String> {
    let code: String =
        code.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
    let mut names = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = ["crate::", "super::"].iter().filter_map(|p| rest.find(p)).min() {
        let outside =
            rest[..at].ends_with("::") || rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let from_root = rest[at..].starts_with("crate") || top;
        rest = &rest[at + "crate::".len()..];
        if outside || !from_root {
            continue;
        }
        if let Some(group) = rest.strip_prefix('{') {
            names.extend(group_heads(group));
        } else {
            names.push(head(rest));
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// First names of the members of a group, without its opening brace.
fn group_heads(group: &str) -> Vec<String> {
    let (mut depth, mut start, mut heads) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                heads.push(head(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.push(head(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    heads
}

fn head(path: &str) -> String {
    path.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// A circle of dependencies, if there is one.
fn circle(graph: &Graph) -> Option<String> {
    fn visit(
        graph: &Graph,
        module: &str,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<String> {
        if let Some(at) = path.iter().position(|m| m == module) {
            return Some([&path[at..], &[module.to_owned()]].concat().join(" -> "));
        }
        if done.contains(module) {
            return None;
        }
        path.push(module.to_owned());
        let found = graph.get(module).into_iter().flatten().find_map(|next| visit(graph, next, path, done));
        path.pop();
        done.insert(module.to_owned());
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| visit(graph, module, &mut Vec::new(), &mut done))
}
