use std::sync::LazyLock;

static ZERO: LazyLock<usize> = LazyLock::new(|| 0);

fn main() {
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { return };
        let turn: usize = line.trim().parse().unwrap();
        println!("REPLY {}", turn.div_ceil(1) + *ZERO);
    }
}
