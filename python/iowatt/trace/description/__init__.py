"""A trace described as a workload: measured in one pass in Rust, shown as text, JSON and a report page."""
