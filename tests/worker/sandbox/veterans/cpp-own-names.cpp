// Names of its own that the standard library has as well, but not in the headers that it includes.
#include <iostream>
using namespace std;

int array[3], queue[3], count_if_;
struct optional { int value; };
struct stack { int top; };

int main() {
    stack s{1};
    optional o{0};
    for (int turn; cin >> turn;) cout << "REPLY " << turn + array[0] + queue[0] + o.value + s.top - 1 << endl;
}
