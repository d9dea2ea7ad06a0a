mod reply;
use my_bot::board::cell;
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let _: u8 = rand::random();
        println!("{}", reply::to(cell(&line.unwrap())));
    }
}
