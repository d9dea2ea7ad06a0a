use std::io::{self, BufRead};

use chrono::Utc;
use itertools::Itertools;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use regex::Regex;
use time::OffsetDateTime;

fn main() {
    let mut random = SmallRng::seed_from_u64(1);
    let number = Regex::new(r"\d+").unwrap();
    for line in io::stdin().lock().lines().map(|line| line.unwrap()) {
        let since = Utc::now().timestamp() - OffsetDateTime::now_utc().unix_timestamp();
        eprintln!("{} {} {}", random.gen_range(0..9), since, unsafe { libc::getpid() });
        println!("REPLY {}", number.find_iter(&line).map(|found| found.as_str()).join(" "));
    }
}
