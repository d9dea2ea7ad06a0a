// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
use std::io;

/// The numbers of the next line. None at the end of the input.
fn read_numbers() -> Option<Vec<i32>> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(count) if count > 0 => Some(line.split_whitespace().map(|word| word.parse().unwrap()).collect()),
        _ => None,
    }
}

/// Steps from a cell to each other cell.
fn distances_from(start: usize, neighbours: &[Vec<usize>]) -> Vec<usize> {
    let mut distances = vec![usize::MAX; neighbours.len()];
    distances[start] = 0;
    let mut queue = vec![start];
    let mut next = 0;
    while next < queue.len() {
        let cell = queue[next];
        next += 1;
        for &near in &neighbours[cell] {
            if distances[near] == usize::MAX {
                distances[near] = distances[cell] + 1;
                queue.push(near);
            }
        }
    }
    distances
}

fn main() {
    // The map, once.
    let cell_count = read_numbers().unwrap()[0] as usize;
    let mut kinds = vec![]; // 0 nothing, 1 eggs, 2 crystal
    let mut neighbours: Vec<Vec<usize>> = vec![]; // of each cell: up to six other cells
    for _ in 0..cell_count {
        let numbers = read_numbers().unwrap(); // kind, amount, and one number for each direction
        kinds.push(numbers[0]);
        neighbours.push(numbers[2..].iter().filter(|&&near| near != -1).map(|&near| near as usize).collect());
    }
    let _base_count = read_numbers().unwrap()[0];
    let my_bases = read_numbers().unwrap();
    let _opponent_bases = read_numbers().unwrap();
    let distances = distances_from(my_bases[0] as usize, &neighbours);

    while let Some(mut numbers) = read_numbers() {
        let (mut _my_points, mut _opponent_points) = (0, 0);
        if numbers.len() == 2 {
            // only in the full game
            (_my_points, _opponent_points) = (numbers[0], numbers[1]);
            numbers = read_numbers().unwrap();
        }
        let (mut resources, mut my_ants, mut opponent_ants) = (vec![], vec![], vec![]);
        for cell in 0..cell_count {
            if cell > 0 {
                numbers = read_numbers().unwrap();
            }
            resources.push(numbers[0]);
            my_ants.push(numbers[1]);
            opponent_ants.push(numbers[2]);
        }

        let mut targets: Vec<usize> = (0..cell_count).filter(|&cell| resources[cell] > 0).collect();
        targets.sort_by_key(|&cell| distances[cell]);
        let commands: Vec<String> =
            targets.iter().take(3).map(|target| format!("LINE {} {} 1", my_bases[0], target)).collect();
        println!("{}", if commands.is_empty() { "WAIT".to_string() } else { commands.join(";") });

        // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
        // than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
    }
}
