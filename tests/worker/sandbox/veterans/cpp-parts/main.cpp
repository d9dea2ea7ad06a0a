// One program in parts, of which only this one is meant to be compiled; and another program beside it.
#include <iostream>
#include "part.cpp"

int main() {
    for (int turn; std::cin >> turn;) std::cout << "REPLY " << part(turn) << std::endl;
}
