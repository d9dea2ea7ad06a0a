pub fn cell(line: &str) -> i32 { line.trim().parse().unwrap() }
