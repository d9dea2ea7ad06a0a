// A first Tron bot: it rides to a random free cell. Read, change, win.
use std::collections::hash_map::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::io;

const WIDTH: i32 = 30;
const HEIGHT: i32 = 20;
const DIRECTIONS: [(&str, i32, i32); 4] = [("UP", 0, -1), ("DOWN", 0, 1), ("LEFT", -1, 0), ("RIGHT", 1, 0)];

/// The numbers of the next line, or None when the match is over.
fn read_numbers() -> Option<Vec<i32>> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(length) if length > 0 => Some(line.split_whitespace().map(|word| word.parse().unwrap()).collect()),
        _ => None,
    }
}

/// A random number below `end`. The standard library has no other source of chance.
fn random(end: usize) -> usize {
    RandomState::new().build_hasher().finish() as usize % end
}

fn main() {
    let mut trails: HashMap<(i32, i32), i32> = HashMap::new(); // whose trail is there

    while let Some(counts) = read_numbers() {
        let (player_count, me) = (counts[0], counts[1]);
        let (mut my_x, mut my_y) = (0, 0);
        for player in 0..player_count {
            let numbers = read_numbers().unwrap();
            let (x0, y0) = (numbers[0], numbers[1]); // where its trail begins
            let (x, y) = (numbers[2], numbers[3]); // where it is now
            if x == -1 {
                trails.retain(|_, owner| *owner != player); // it is out, and its trail is gone
            } else {
                trails.insert((x0, y0), player);
                trails.insert((x, y), player);
            }
            if player == me {
                my_x = x;
                my_y = y;
            }
        }

        let mut ways = Vec::new();
        for (name, dx, dy) in DIRECTIONS.iter() {
            let (x, y) = (my_x + dx, my_y + dy);
            if 0 <= x && x < WIDTH && 0 <= y && y < HEIGHT && !trails.contains_key(&(x, y)) {
                ways.push(*name);
            }
        }
        println!("{}", if ways.is_empty() { "UP" } else { ways[random(ways.len())] });

        // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
        // there, and take the way with the most.
    }
}
