//! `schema/iowatt.plan.schema.json` is the schema of the plan that the simulator reads.
//!
//! After a change of the plan's types: `IOWATT_WRITE_SCHEMA=1 cargo test -p iowatt-sim --test suite plan_schema`.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use iowatt_sim::Plan;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn schema() -> Value {
    let mut schema = schemars::schema_for!(Plan).to_value();
    schema["title"] = json!("The simulation of an iowatt plan");
    schema["$id"] = json!("iowatt.plan.schema.json");
    schema
}

#[test]
fn the_checked_in_schema_is_that_of_the_plan() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/iowatt.plan.schema.json");
    if std::env::var_os("IOWATT_WRITE_SCHEMA").is_some() {
        fs::write(&path, serde_json::to_string_pretty(&schema()).unwrap() + "\n").unwrap();
    }
    let checked_in: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        checked_in == schema(),
        "schema/iowatt.plan.schema.json is out of date; run: \
         IOWATT_WRITE_SCHEMA=1 cargo test -p iowatt-sim --test suite plan_schema"
    );
}

#[test]
fn unknown_keys_are_refused_by_the_schema_as_by_serde() {
    let schema = schema();
    assert_eq!(schema["additionalProperties"], false);
    let definitions = schema["$defs"].as_object().unwrap();
    let open: Vec<&str> = definitions
        .iter()
        .flat_map(|(name, definition)| {
            let variants = definition["oneOf"].as_array().into_iter().flatten();
            variants.chain([definition]).map(move |part| (name.as_str(), part))
        })
        .filter(|(_, part)| part["type"] == "object")
        .filter(|(_, part)| part["additionalProperties"] != false && part["unevaluatedProperties"] != false)
        .map(|(name, _)| name)
        .collect();
    assert!(open.is_empty(), "these accept unknown keys: {open:?}");
}
