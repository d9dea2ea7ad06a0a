// A first Yavalath bot: it plays a random empty cell. Read, change, win.
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;

/// The next line without its end, or None when the match is over.
fn read_line() -> Option<String> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(length) if length > 0 => Some(line.trim_end().to_string()),
        _ => None,
    }
}

/// A random number below `end`. The standard library has no other source of chance.
fn random(end: usize) -> usize {
    RandomState::new().build_hasher().finish() as usize % end
}

fn main() {
    let _my_id: usize = read_line().unwrap().parse().unwrap(); // 1 if you begin, 2 if your opponent does

    while let Some(row_count) = read_line() {
        let row_count: usize = row_count.parse().unwrap(); // always 9
        // 0 empty, 1 your stone, 2 your opponent's
        let rows: Vec<Vec<u8>> = (0..row_count).map(|_| read_line().unwrap().into_bytes()).collect();
        let last = read_line().unwrap();
        let last: Vec<i32> = last.split(' ').map(|word| word.parse().unwrap()).collect();
        let (_last_x, _last_y) = (last[0], last[1]); // your opponent's last move; -1 -1 if you begin

        let mut empty_cells = Vec::new();
        for (y, row) in rows.iter().enumerate() {
            for (x, &stone) in row.iter().enumerate() {
                if stone == b'0' {
                    empty_cells.push((x, y));
                }
            }
        }
        let (x, y) = empty_cells[random(empty_cells.len())];
        println!("{} {} hello", x, y);

        // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
        // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
    }
}
