// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
use std::io;

const SIDE: usize = 25;
const ME: (i32, i32) = (12, 12); // the middle of what I see
const WAYS: [i32; 8] = [1, 2, 3, 4, 6, 7, 8, 9]; // 5 is the bot itself

/// The next line without its end, or None when the match is over.
fn read_line() -> Option<String> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(length) if length > 0 => Some(line.trim_end_matches('\n').to_string()),
        _ => None,
    }
}

fn read_lines(count: usize) -> Vec<String> {
    (0..count).map(|_| read_line().unwrap()).collect()
}

fn read_count() -> usize {
    read_line().unwrap().parse().unwrap()
}

fn numbers(line: &str) -> Vec<i32> {
    line.split(' ').map(|word| word.parse().unwrap()).collect()
}

fn beside((x, y): (i32, i32), way: i32) -> (i32, i32) {
    (x + (way - 1) % 3 - 1, y + (way - 1) / 3 - 1)
}

/// A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
fn cell(view: &[String], (x, y): (i32, i32)) -> u8 {
    view[y as usize].as_bytes()[x as usize]
}

/// How many of the eight neighbours are alive. Bots count as alive.
fn live_neighbours(view: &[String], place: (i32, i32)) -> usize {
    WAYS.iter().filter(|&&way| cell(view, beside(place, way)) != b'0').count()
}

/// Actions, and perhaps a message.
fn choose(view: &[String]) -> String {
    let alive = live_neighbours(view, ME);
    if alive == 2 || alive == 3 {
        return String::new(); // the generation at the end of this turn will not hurt
    }

    // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    let dead: Vec<i32> = WAYS.iter().copied().filter(|&way| cell(view, beside(ME, way)) == b'0').collect();
    for &way in &dead {
        let after = live_neighbours(view, beside(ME, way)) - 1;
        if after == 2 || after == 3 {
            return format!("{} say 4", way); // 4 means: come here
        }
    }

    // There is none. Alone? Then wake up neighbours until there are three.
    let missing = 3usize.saturating_sub(alive);
    let actions: Vec<String> = dead.iter().take(missing).map(|way| (-way).to_string()).collect();
    actions.join(" ")
}

fn main() {
    let mut size = 0; // the board's
    while let Some(line) = read_line() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "init" => {
                let _number: i32 = words[1].parse().unwrap(); // mine, 2 to 5
                size = words[2].parse().unwrap();
                let _board = read_lines(size); // before anybody is on it
                println!("ok");
            }
            "parachute" => {
                // Ten times: where do I land? The team: what each of us said last, or -1 -1.
                let team: Vec<Vec<i32>> = read_lines(4).iter().map(|member| numbers(member)).collect();
                let middle = (size / 2) as i32;
                let choice = team.iter().find(|member| member[1] >= 0).map_or((middle, middle), |member| (member[1], member[2]));
                println!("{} {}", choice.0, choice.1);
            }
            call => {
                // 25 times start, while nothing lives or dies; then main, each turn until the end.
                let _turn: i32 = words[1].parse().unwrap();
                let _hp: i32 = words.get(2).map_or(4, |word| word.parse().unwrap());
                let _me = numbers(&read_line().unwrap()); // where I am on the board
                let view = read_lines(SIDE);
                let _team = if call == "main" { read_lines(read_count()) } else { Vec::new() }; // number, x, y of us who live
                let _chat = read_lines(read_count()); // number and text, since last turn
                println!("{}", if call == "main" { choose(&view) } else { String::new() });
            }
        }
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
