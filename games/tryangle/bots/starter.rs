// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
use std::io;

/// The numbers of the next line, or None when the match is over.
fn read_numbers() -> Option<Vec<i32>> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(length) if length > 0 => Some(line.split_whitespace().map(|word| word.parse().unwrap()).collect()),
        _ => None,
    }
}

fn read_rows(count: usize) -> Vec<Vec<i32>> {
    (0..count).map(|_| read_numbers().unwrap()).collect()
}

/// A number, and so many lines.
fn read_list() -> Vec<Vec<i32>> {
    let count = read_numbers().unwrap()[0];
    read_rows(count as usize)
}

fn main() {
    // The map, once.
    let places = read_list(); // id, x, y

    // The square of the straight way between two houses.
    let distance = |one: i32, other: i32| {
        let (from, to) = (&places[one as usize], &places[other as usize]);
        (from[1] - to[1]).pow(2) + (from[2] - to[2]).pow(2)
    };
    // Of some units, the one that is nearest to a house: its place in the list.
    let nearest = |units: &[i32], house: i32| (0..units.len()).min_by_key(|&unit| distance(units[unit], house));

    while let Some(scores) = read_numbers() {
        let (_my_score, _opponent_score) = (scores[0], scores[1]);
        let houses = read_rows(places.len()); // id, my units, my opponent's
        let _paths = read_list();
        let triangles = read_list(); // three corners, owner, may I capture, may they
        let _linkable = read_list(); // paths that could be added

        let mut commands = Vec::new();
        let mut units = Vec::new(); // the house of each unit
        for house in &houses {
            for _ in 0..house[1] {
                units.push(house[0]);
            }
        }

        // A new unit, while there are few.
        if let Some(mine) = triangles.iter().find(|triangle| triangle[3] == 0) {
            if units.len() < 6 {
                commands.push(format!("SPAWN {} {} {}", mine[0], mine[1], mine[2]));
            }
        }

        // The nearest triangle to capture; to each of its corners goes the nearest unit.
        let wanted = triangles.iter().filter(|triangle| triangle[3] != 0 && triangle[4] == 1);
        let far = |corner: i32| nearest(&units, corner).map_or(0, |unit| distance(units[unit], corner));
        let target = wanted.min_by_key(|triangle| triangle[..3].iter().map(|&corner| far(corner)).sum::<i32>());
        if let Some(target) = target {
            for &corner in &target[..3] {
                if let Some(chosen) = nearest(&units, corner) {
                    let unit = units.remove(chosen);
                    if unit != corner {
                        commands.push(format!("MOVE {} {} 1", unit, corner));
                    }
                }
            }
        }
        println!("{}", if commands.is_empty() { "WAIT".to_string() } else { commands.join(";") });

        // Where to start: more than three units never walk; let them capture other triangles at the same time. A
        // straight way is not always the shortest one along the paths. And look where the opponent stands first.
    }
}
