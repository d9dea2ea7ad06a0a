#include <bits/stdc++.h>
using namespace std;

struct Point {
    int x, y;
    auto operator<=>(const Point &) const = default;
};

int main() {
    int turn;
    while (cin >> turn) {
        int size = turn + 1, cells[size];  // GNU: an array whose length is not constant
        for (int &cell : cells) cell = turn;
        auto even = views::iota(0, 10) | views::filter([](int i) { return i % 2 == 0; });
        Point p{.x = cells[0], .y = *even.begin()};
        cout << "REPLY " << max(p, Point{0, 0}).x << "\n" << flush;
    }
}
