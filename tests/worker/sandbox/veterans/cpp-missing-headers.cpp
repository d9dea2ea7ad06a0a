// Compiled where every standard header is at hand, so nobody noticed that half of them are missing.
#include <iostream>
using namespace std;

array<int, 3> counts{1, 2, 3};
function<int(int)> same = [](int x) { return x; };
unordered_map<string, int> seen;

int main() {
    mt19937 random(1);
    for (int turn; cin >> turn;) {
        seen[to_string(turn)] = min(INT_MAX, turn);
        sort(counts.begin(), counts.end());
        cerr << random() << " " << accumulate(counts.begin(), counts.end(), 0) << endl;
        cout << "REPLY " << same(seen[to_string(turn)]) << endl;
    }
}
