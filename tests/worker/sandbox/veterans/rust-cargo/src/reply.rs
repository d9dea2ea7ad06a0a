pub fn to(cell: i32) -> String { format!("REPLY {}", cell) }
