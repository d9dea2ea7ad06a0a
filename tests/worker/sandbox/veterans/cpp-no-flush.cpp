// Neither endl nor flush, and no tie that would flush for it.
#include <cstdio>

int main() {
    int turn;
    while (std::scanf("%d", &turn) == 1) std::printf("REPLY %d\n", turn);
}
