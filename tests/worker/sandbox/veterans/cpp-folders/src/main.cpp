#include "board.hpp"
#include <rules.hpp>
#include <iostream>

int main() {
    for (int turn; std::cin >> turn;) std::cout << "REPLY " << rules::legal(board::cell(turn)) << std::endl;
}
