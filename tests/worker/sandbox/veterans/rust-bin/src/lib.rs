pub fn number(line: &str) -> i32 { line.trim().parse().unwrap() }
