fn main() {
    for line in std::io::BufRead::lines(std::io::stdin().lock()) {
        println!("REPLY {}", several::number(&line.unwrap()));
    }
}
