// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// Bots in C++ speak the line protocol of the rules page: a block of lines for each call, one line back.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

constexpr int SIDE = 25, MIDDLE = SIDE / 2;
constexpr int WAYS[] = {1, 2, 3, 4, 6, 7, 8, 9};  // 5 is the bot itself

struct Place {
    int x, y;
};

struct Member {
    int number;
    Place place;
};

struct Message {
    int author;
    std::string text;
};

// The cells around me: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
using View = std::vector<std::string>;

Place beside(Place place, int way) {
    return {place.x + (way - 1) % 3 - 1, place.y + (way - 1) / 3 - 1};
}

// How many of the eight neighbours are alive. Bots count as alive.
int live_neighbours(const View& view, Place place) {
    return std::count_if(std::begin(WAYS), std::end(WAYS), [&](int way) {
        Place near = beside(place, way);
        return view[near.y][near.x] != '0';
    });
}

std::vector<std::string> read_rows(int count) {
    std::vector<std::string> rows(count);
    for (std::string& row : rows) std::cin >> row;
    return rows;
}

std::vector<Member> read_members(int count) {
    std::vector<Member> members(count);
    for (Member& member : members) std::cin >> member.number >> member.place.x >> member.place.y;
    return members;
}

std::vector<Message> read_chat() {
    int count;
    std::cin >> count;
    std::vector<Message> chat(count);
    for (Message& message : chat) {
        std::cin >> message.author;
        std::cin.get();  // the blank before the text
        std::getline(std::cin, message.text);
    }
    return chat;
}

// Actions, and perhaps a message.
std::string choose(const View& view) {
    const Place me{MIDDLE, MIDDLE};
    const int alive = live_neighbours(view, me);
    if (alive == 2 || alive == 3) return "";  // the generation at the end of this turn will not hurt

    // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    std::vector<int> dead;
    for (int way : WAYS) {
        Place near = beside(me, way);
        if (view[near.y][near.x] == '0') dead.push_back(way);
    }
    for (int way : dead) {
        int after = live_neighbours(view, beside(me, way)) - 1;
        if (after == 2 || after == 3) return std::to_string(way) + " say 4";  // 4 means: come here
    }

    // There is none. Alone? Then wake up neighbours until there are three.
    std::string actions;
    int missing = 3 - alive;
    for (int way : dead)
        if (missing-- > 0) actions += "-" + std::to_string(way) + " ";
    return actions;
}

int main() {
    int number = 0, size = 0;  // mine, 2 to 5; the board's
    for (std::string call; std::cin >> call;) {
        if (call == "init") {
            std::cin >> number >> size;
            View board = read_rows(size);  // before anybody is on it
            std::cout << "ok" << std::endl;
        } else if (call == "parachute") {  // ten times: where do I land?
            int turn;
            std::cin >> turn;
            Place choice{size / 2, size / 2};
            std::vector<Member> team = read_members(4);  // what each of us said last, or -1 -1
            auto chosen = std::find_if(team.begin(), team.end(), [](const Member& mate) { return mate.place.x >= 0; });
            if (chosen != team.end()) choice = chosen->place;
            std::cout << choice.x << " " << choice.y << std::endl;
        } else {  // start or main
            int turn, hp = 4;
            Place me;
            std::cin >> turn;
            if (call == "main") std::cin >> hp;
            std::cin >> me.x >> me.y;
            View view = read_rows(SIDE);
            std::vector<Member> team;  // of us who live
            if (call == "main") {
                int living;
                std::cin >> living;
                team = read_members(living);
            }
            std::vector<Message> chat = read_chat();  // since last turn
            std::cout << (call == "main" ? choose(view) : "") << std::endl;
        }
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
